import { cityHash128WithSeed, type Hash128 } from '../../../lib/clickhouse/city-hash.ts'

/** The engine's checksum of a file: each piece of `pieceBytes` is hashed with the hash so far as its seed. */
export interface ContentHash {
  update(bytes: Uint8Array): void
  /** As the engine writes it: 32 hex digits. */
  digest(): string
}

const pieceBytes = 2048

export function createContentHash(): ContentHash {
  const rest = new Uint8Array(pieceBytes)
  let restBytes = 0
  let state: Hash128 = { low: 0n, high: 0n }

  return {
    update(bytes) {
      let at = 0
      if (restBytes > 0) {
        at = Math.min(pieceBytes - restBytes, bytes.length)
        rest.set(bytes.subarray(0, at), restBytes)
        restBytes += at
        if (restBytes < pieceBytes) return
        state = cityHash128WithSeed(rest, state)
        restBytes = 0
      }
      for (; at + pieceBytes <= bytes.length; at += pieceBytes) {
        state = cityHash128WithSeed(bytes.subarray(at, at + pieceBytes), state)
      }
      rest.set(bytes.subarray(at))
      restBytes = bytes.length - at
    },
    digest() {
      const { low, high } = restBytes > 0 ? cityHash128WithSeed(rest.subarray(0, restBytes), state) : state
      return high.toString(16).padStart(16, '0') + low.toString(16).padStart(16, '0')
    },
  }
}
