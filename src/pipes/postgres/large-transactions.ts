import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Transactions that the server sends before they commit, each in a file. They are gone with the worker. */
export interface LargeTransactions {
  add(xid: number, subxid: number, lsn: bigint, message: Buffer, start: number, end: number): void
  /** Forgets a transaction, or a part of it that was rolled back to a savepoint. */
  abort(xid: number, subxid: number): void
  /** Yields messages in their order, without those that were rolled back; then the file is removed. */
  replay(xid: number): Generator<{ lsn: bigint; message: Buffer }>
  readonly bytes: number
  clear(): void
}

const chunkBytes = 256 * 1024
const headBytes = 16

interface Open {
  path: string
  file: number
  chunk: Buffer
  used: number
  bytes: number
  aborted: Set<number>
}

export function createLargeTransactions(folder: string): LargeTransactions {
  const open = new Map<number, Open>()

  function openOf(xid: number): Open {
    const known = open.get(xid)
    if (known) return known
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, String(xid))
    const made = {
      ...{ path, file: openSync(path, 'w+', 0o600), chunk: Buffer.allocUnsafeSlow(chunkBytes) },
      ...{ used: 0, bytes: 0, aborted: new Set<number>() },
    }
    open.set(xid, made)
    return made
  }

  function flush(one: Open): void {
    write(one, one.chunk.subarray(0, one.used))
    one.used = 0
  }

  function write(one: Open, part: Buffer): void {
    for (let done = 0; done < part.length; )
      done += writeSync(one.file, part, done, part.length - done, one.bytes + done)
    one.bytes += part.length
  }

  function forget(xid: number): void {
    const one = open.get(xid)
    if (one === undefined) return
    open.delete(xid)
    closeSync(one.file)
    rmSync(one.path, { force: true })
  }

  return {
    get bytes() {
      let sum = 0
      for (const { bytes } of open.values()) sum += bytes
      return sum
    },
    add(xid, subxid, lsn, message, start, end) {
      const one = openOf(xid)
      const length = end - start
      if (one.used + headBytes + length > one.chunk.length) flush(one)
      const head = Buffer.alloc(headBytes)
      head.writeUInt32LE(length, 0)
      head.writeUInt32LE(subxid, 4)
      head.writeBigUInt64LE(lsn, 8)
      if (headBytes + length > one.chunk.length) {
        write(one, Buffer.concat([head, message.subarray(start, end)]))
        return
      }
      one.chunk.set(head, one.used)
      message.copy(one.chunk, one.used + headBytes, start, end)
      one.used += headBytes + length
    },
    abort(xid, subxid) {
      if (xid === subxid) forget(xid)
      else open.get(xid)?.aborted.add(subxid)
    },
    *replay(xid) {
      const one = open.get(xid)
      if (one === undefined) return
      flush(one)
      let held = Buffer.alloc(0)
      let at = 0
      /** Makes so many bytes available; false = the file has ended. */
      const need = (length: number): boolean => {
        while (held.length < length) {
          const part = Buffer.allocUnsafe(Math.max(chunkBytes, length - held.length))
          const count = readSync(one.file, part, 0, part.length, at)
          if (count === 0) return false
          at += count
          held = Buffer.concat([held, part.subarray(0, count)])
        }
        return true
      }
      while (need(headBytes)) {
        const length = held.readUInt32LE(0)
        const [subxid, lsn] = [held.readUInt32LE(4), held.readBigUInt64LE(8)]
        if (!need(headBytes + length)) throw new Error('the file of a transaction is cut short')
        const message = held.subarray(headBytes, headBytes + length)
        if (!one.aborted.has(subxid)) yield { lsn, message }
        held = held.subarray(headBytes + length)
      }
      forget(xid)
    },
    clear() {
      for (const xid of [...open.keys()]) forget(xid)
    },
  }
}
