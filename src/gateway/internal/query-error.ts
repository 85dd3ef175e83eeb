/** An exception of ClickHouse, or of the gateway in the same form. */
export class QueryError extends Error {
  /** ClickHouse's code; 0 = unknown. */
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'QueryError'
    this.code = code
  }
}
