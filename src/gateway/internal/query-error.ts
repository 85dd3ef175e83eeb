/** An exception of ClickHouse, or of the gateway in its words. */
export class QueryError extends Error {
  /** ClickHouse's number; 0 = it told none. */
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'QueryError'
    this.code = code
  }
}
