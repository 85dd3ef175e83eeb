import { Transform, type TransformCallback } from 'node:stream'

export interface PieceSteps {
  /** The next piece of output, or undefined when it needs more input. */
  next(input: PieceInput): Buffer | undefined
  /** The remaining output, after the last input. */
  last(input: PieceInput): Buffer | undefined
}

/**
 * A transform that produces its next piece only when the reader has room for it. (A transform that pushes the
 * whole output of a chunk could be made to hold a thousand times the chunk.)
 */
export function createPieceTransform({ next, last }: PieceSteps): Transform {
  const input = createInput()
  let resume: (() => void) | undefined

  const work = (transform: Transform, done: TransformCallback): void => {
    for (;;) {
      let piece: Buffer | undefined
      try {
        piece = next(input)
      } catch (error) {
        done(error as Error)
        return
      }
      if (piece === undefined) {
        done()
        return
      }
      if (piece.length > 0 && !transform.push(piece)) {
        resume = () => work(transform, done)
        return
      }
    }
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      input.add(chunk)
      work(this, done)
    },
    read(size) {
      const go = resume
      resume = undefined
      go?.()
      // When the chunk is used up, ask for the next one, as any transform does.
      if (resume === undefined) Transform.prototype._read.call(this, size)
    },
    flush(done) {
      let piece: Buffer | undefined
      try {
        piece = last(input)
      } catch (error) {
        done(error as Error)
        return
      }
      done(null, piece)
    },
  })
}

/** Chunks as one sequence of bytes. Only bytes that span chunks are copied. */
export interface PieceInput {
  /** Only when the last `peek` has returned undefined. */
  add(chunk: Buffer): void
  /** The first `bytes` bytes, or undefined as long as there are fewer. */
  peek(bytes: number): Buffer | undefined
  /** Drops as many bytes as were last peeked at. */
  drop(bytes: number): void
  /** All remaining bytes, after `peek` has returned undefined. */
  rest(): Buffer
}

function createInput(): PieceInput {
  // Bytes that span chunks, `heldBytes` of them; then those of the current chunk.
  let held: Buffer = nothing
  let heldBytes = 0
  let chunk: Buffer = nothing

  return {
    add(next) {
      chunk = next
    },
    peek(bytes) {
      if (heldBytes === 0 && chunk.length >= bytes) return chunk.subarray(0, bytes)
      const part = chunk.subarray(0, Math.max(0, bytes - heldBytes))
      // Grows with the bytes received, not with the size that a header claims.
      if (held.length < heldBytes + part.length) {
        const room = Buffer.allocUnsafe(Math.min(bytes, Math.max(2 * (heldBytes + part.length), 64 * 1024)))
        held.copy(room, 0, 0, heldBytes)
        held = room
      }
      part.copy(held, heldBytes)
      heldBytes += part.length
      chunk = chunk.subarray(part.length)
      return heldBytes >= bytes ? held.subarray(0, bytes) : undefined
    },
    drop(bytes) {
      if (heldBytes === 0) chunk = chunk.subarray(bytes)
      // Peeked bytes may have been passed on, so their memory is not reused.
      held = nothing
      heldBytes = 0
    },
    rest: () => held.subarray(0, heldBytes),
  }
}

const nothing = Buffer.alloc(0)
