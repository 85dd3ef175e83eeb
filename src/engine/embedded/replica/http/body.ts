import type { Readable, Transform } from 'node:stream'
import { CompressedBlockError, createBlockDecoder } from '../../../../lib/clickhouse/compressed-blocks.ts'
import { DamagedData } from '../../../../lib/compression/damaged-data.ts'
import { EngineError } from '../../engine-error.ts'
import { createDecoder, type Encoding } from './encodings.ts'

/** The beginning of a body, and the rest if the body did not end within the limit. */
export interface Head {
  bytes: Buffer
  /** Null = `bytes` is the whole body. */
  rest: Readable | null
}

/**
 * Reads at least `limitBytes`, or to the end. The rest stays in the stream, which is paused; another call may continue
 * to read it.
 */
export function readHead(
  stream: Readable,
  limitBytes: number,
  before: readonly Buffer[] = [],
): Promise<Head> {
  return new Promise((resolve, reject) => {
    const chunks = [...before]
    let total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    const done = (rest: Readable | null) => {
      stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      // The next reader of the stream adds its own listeners.
      stream.on('error', () => undefined)
      const [only = empty] = chunks
      resolve({ bytes: chunks.length > 1 ? Buffer.concat(chunks, total) : only, rest })
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      total += chunk.length
      if (total < limitBytes) return
      stream.pause()
      done(stream)
    }
    const onEnd = () => done(null)
    const onError = (error: Error) => reject(readBodyError(error))
    const onClose = () => reject(cutOff())
    // A stream that has already ended or broken off emits no more events.
    if (stream.readableEnded) return done(null)
    if (stream.destroyed) return reject(stream.errored ? readBodyError(stream.errored) : cutOff())
    if (total >= limitBytes) return done(stream)
    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
    // A listener alone does not start a stream that was paused.
    stream.resume()
  })
}

/** The decompressed body. Decodes only as fast as it is read. */
export function decodeBody(body: Readable, encoding: Encoding | null, isInBlocks: boolean): Readable {
  const decoders = encoding === null ? [] : [createDecoder(encoding)]
  if (isInBlocks) decoders.push(createBlockDecoder())
  let decoded = body
  for (const decoder of decoders) decoded = connect(decoded, decoder)
  return decoded
}

/** Unlike a pipeline, leaves the source alive when the decoder fails: the client must still get an answer. */
function connect(source: Readable, decoder: Transform): Transform {
  source.once('error', (error) => decoder.destroy(error))
  source.once('close', () => source.readableEnded || decoder.destroy(cutOff()))
  decoder.once('error', () => {
    source.unpipe(decoder)
    source.resume()
  })
  return source.pipe(decoder)
}

export function unknownEncoding(encoding: string): EngineError {
  return new EngineError(48, 'NOT_IMPLEMENTED', `Unknown compression method '${encoding}'`)
}

/** The client disconnected in the middle of the body, so no answer is possible. */
export class CutOff extends Error {
  override name = 'CutOff'
}

export const cutOff = (): CutOff => new CutOff('the client went away before the end of the body')

/** Translates the error that ended a body early into an error of the engine. */
export function readBodyError(error: Error): EngineError | CutOff {
  if (error instanceof CutOff) return error
  if (error instanceof CompressedBlockError) {
    return new EngineError(error.code, blockErrors[error.code] ?? 'CANNOT_DECOMPRESS', error.message)
  }
  if (error instanceof DamagedData) return new EngineError(271, 'CANNOT_DECOMPRESS', error.message)
  const { code = '' } = error as NodeJS.ErrnoException
  if (!/^(Z_|ZSTD_|ERR__)/.test(code)) return cutOff()
  return new EngineError(354, 'ZLIB_INFLATE_FAILED', `The body cannot be decompressed: ${error.message}`)
}

const blockErrors: Record<number, string> = {
  33: 'CANNOT_READ_ALL_DATA',
  40: 'CHECKSUM_DOESNT_MATCH',
  89: 'UNKNOWN_COMPRESSION_METHOD',
  90: 'TOO_LARGE_SIZE_COMPRESSED',
  246: 'CORRUPTED_DATA',
  271: 'CANNOT_DECOMPRESS',
}

const empty = Buffer.alloc(0)
