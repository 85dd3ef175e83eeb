import type { Readable } from 'node:stream'

export interface BodySink {
  /** False = no more until `resume`. */
  write(bytes: Buffer): boolean
  end(): void
}

export interface BodyOptions {
  /** In bytes; null = not told. */
  contentLength: number | null
  isChunked: boolean
  /** Called when the first of it is wanted. */
  onWanted(): void
  /** Frees the memory of a piece that came as one and was sent. */
  release(bytes: Buffer): void
}

/** A client that still sends so much of what nobody wants is cut off. */
const maxDroppedBytes = 64 * 1024 * 1024
const noBytes: Buffer = Buffer.alloc(0)

/**
 * A client's body. Its beginning is kept, so that the statement can be read and a small body can be sent again;
 * the rest goes straight through. Nothing is taken off the connection before it is asked for.
 */
export class RequestBody {
  /** Something of it went through and is gone. */
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

  /** What was kept. */
  get bytes(): Buffer {
    const { chunks } = this
    if (chunks.length > 1) chunks.push(Buffer.concat(chunks.splice(0)))
    return chunks[0] ?? noBytes
  }

  /** What was kept is all of it. */
  get isWhole(): boolean {
    return this.hasEnded && !this.hasPassed
  }

  /** In bytes, of all of it; null = not known before it ends. */
  get length(): number | null {
    return this.isWhole ? this.keptBytes : this.contentLength
  }

  /** It is left on the connection; a client that asked first whether to send it was not answered yet. */
  get isUntouched(): boolean {
    return !this.isListening
  }

  /** Reads until it is whole, `isEnough` says so, or `maxBytes` are kept. Resolves also when the client goes away. */
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
        // Looked at as it doubles, so that a body that trickles in is not read over and over.
        const isLookedAt = this.keptBytes >= lookAgainAtBytes
        if (isLookedAt) lookAgainAtBytes = this.keptBytes * 2
        if (this.keptBytes >= maxBytes || (isLookedAt && isEnough(this.bytes))) done()
      }
      this.source.once('close', resolve)
      this.listen()
    })
  }

  /** Gives the sink what comes after `bytes`, at the pace at which it takes it. */
  pass(sink: BodySink): void {
    this.take = (chunk) => {
      this.hasPassed = true
      this.receivedBytes += chunk.length
      if (!sink.write(chunk)) this.source.pause()
    }
    this.onEnd = () => sink.end()
    this.listen()
  }

  /** The sink takes more again. */
  resume(): void {
    if (!this.hasEnded) this.source.resume()
  }

  /** Reads and drops the rest, so that the client gets to reading the answer. */
  drop(): void {
    // What was never asked for, Node drops by itself once the answer is out.
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
    // Its length was told: no need to wait until Node has seen the end.
    if (this.keptBytes === this.contentLength) this.end()
  }

  private end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.onEnd()
  }
}

const nothing = (): void => {}
