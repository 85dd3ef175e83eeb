import type { Readable } from 'node:stream'

export interface BodySink {
  /** False = write no more until `resume`. */
  write(bytes: Buffer): boolean
  end(): void
}

export interface BodyOptions {
  /** In bytes; null = not declared. */
  contentLength: number | null
  isChunked: boolean
  /** Called when the body's first bytes are wanted. */
  onWanted(): void
  /** Frees the memory of a chunk that was received and sent as one. */
  release(bytes: Buffer): void
}

/** A client that sends more than this of an unwanted body is cut off. */
const maxDroppedBytes = 64 * 1024 * 1024
const noBytes: Buffer = Buffer.alloc(0)

/**
 * A client's body. Its beginning is kept, so that the statement can be read and a small body can be sent
 * again; the rest streams through. Nothing is read from the connection before it is asked for.
 */
export class RequestBody {
  /** A part of the body streamed through and was not kept. */
  hasPassed = false
  receivedBytes = 0
  readonly release: BodyOptions['release']
  private readonly source: Readable
  private readonly contentLength: number | null
  private readonly onWanted: () => void
  private readonly chunks: Buffer[] = []
  private keptBytes = 0
  private hasEnded: boolean
  private isListening = false
  private take: (chunk: Buffer) => void = this.keepChunk
  private onEnd: () => void = nothing

  constructor(source: Readable, { contentLength, isChunked, onWanted, release }: BodyOptions) {
    this.source = source
    this.contentLength = contentLength
    this.onWanted = onWanted
    this.release = release
    this.hasEnded = !isChunked && !contentLength
  }

  /** The kept beginning. */
  get bytes(): Buffer {
    const { chunks } = this
    if (chunks.length > 1) chunks.push(Buffer.concat(chunks.splice(0)))
    return chunks[0] ?? noBytes
  }

  /** The kept bytes are the whole body. */
  get isWhole(): boolean {
    return this.hasEnded && !this.hasPassed
  }

  /** The size of the whole body in bytes; null = unknown before it ends. */
  get length(): number | null {
    return this.isWhole ? this.keptBytes : this.contentLength
  }

  /** Nothing was read from the connection; a client that sent `Expect: 100-continue` has no answer yet. */
  get isUntouched(): boolean {
    return !this.isListening
  }

  /** Reads until the body is whole, `isEnough` is true, `maxBytes` are kept, or the client goes away. */
  keep(maxBytes: number, isEnough: (bytes: Buffer) => boolean): Promise<void> {
    if (this.hasEnded) return Promise.resolve()
    return new Promise((resolve) => {
      let lookAgainAtBytes = 0
      const done = () => {
        this.source.pause()
        this.take = this.keepChunk
        this.onEnd = nothing
        resolve()
      }
      this.onEnd = done
      this.take = (chunk) => {
        this.keepChunk(chunk)
        if (this.hasEnded) return
        // Checked each time the size doubles, so that a slow body is not parsed over and over.
        const isLookedAt = this.keptBytes >= lookAgainAtBytes
        if (isLookedAt) lookAgainAtBytes = this.keptBytes * 2
        if (this.keptBytes >= maxBytes || (isLookedAt && isEnough(this.bytes))) done()
      }
      this.source.once('close', resolve)
      this.listen()
    })
  }

  /** Passes the bytes after `bytes` to the sink, at the sink's pace. */
  pass(sink: BodySink): void {
    this.take = (chunk) => {
      this.hasPassed = true
      this.receivedBytes += chunk.length
      if (!sink.write(chunk)) this.source.pause()
    }
    this.onEnd = () => sink.end()
    this.listen()
  }

  /** The sink can take more. */
  resume(): void {
    if (!this.hasEnded) this.source.resume()
  }

  /** Reads and drops the rest, so that the client gets to read the answer. */
  drop(): void {
    // Node itself drops a body that was never read, once the answer is sent.
    if (this.hasEnded || !this.isListening) return
    let dropped = 0
    this.take = (chunk) => {
      dropped += chunk.length
      if (dropped > maxDroppedBytes) this.source.destroy()
    }
    this.onEnd = nothing
    this.source.resume()
  }

  private listen(): void {
    if (this.isListening) {
      this.source.resume()
      return
    }
    this.isListening = true
    this.onWanted()
    this.source.on('data', (chunk: Buffer) => this.take(chunk))
    this.source.on('end', () => this.end())
  }

  private keepChunk(chunk: Buffer): void {
    this.receivedBytes += chunk.length
    this.keptBytes += chunk.length
    this.chunks.push(chunk)
    // With a known length, there is no need to wait for Node's end event.
    if (this.keptBytes === this.contentLength) this.end()
  }

  private end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.onEnd()
  }
}

const nothing = (): void => {}
