/** An exception of ClickHouse: a code, a name, and a text for people. */
export class EngineError extends Error {
  override name = 'EngineError'
  readonly code: number
  readonly type: string

  constructor(code: number, type: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.type = type
  }
}
