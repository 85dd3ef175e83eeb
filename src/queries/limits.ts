/** What the statements of a tile may use. */
export interface TileLimits {
  timeoutSeconds: number
  memoryMb: number
  /** 0 = no limit. */
  readRows: number
  resultRows: number
}

/**
 * The settings of every statement of a tile. No text of a user can change them: it holds no SETTINGS clause
 * (`lib/where`).
 */
export function settingsOf({
  timeoutSeconds,
  memoryMb,
  readRows,
  resultRows,
}: TileLimits): Record<string, string> {
  return {
    max_execution_time: String(timeoutSeconds),
    timeout_overflow_mode: 'throw',
    max_memory_usage: String(memoryMb * 1024 * 1024),
    max_rows_to_read: String(readRows),
    read_overflow_mode: 'throw',
    max_result_rows: String(resultRows),
    max_result_bytes: String(resultBytes(memoryMb)),
    result_overflow_mode: 'throw',
    // A filter of 10 000 characters may become megabytes of SQL.
    max_query_size: String(64 * 1024 * 1024),
    max_ast_elements: '1000000',
    max_expanded_ast_elements: '2000000',
    // Values arrive exact, times in UTC.
    date_time_output_format: 'iso',
    output_format_json_quote_64bit_integers: '1',
    output_format_json_quote_decimals: '1',
    output_format_json_quote_denormals: '0',
    output_format_json_validate_utf8: '1',
  }
}

/** A result is held in the memory of the server while it becomes an answer. */
export const resultBytes = (memoryMb: number): number => Math.min(memoryMb, 256) * 1024 * 1024

/** The setting that ended a statement with this code of the engine, and its value; null = it was no limit. */
export function limitBehind(code: number, limits: TileLimits): { name: string; value: number } | null {
  switch (code) {
    case 159:
    case 160:
      return { name: 'GRANARY_TILE_TIMEOUT_SECONDS', value: limits.timeoutSeconds }
    case 241:
      return { name: 'GRANARY_TILE_MEMORY_MB', value: limits.memoryMb }
    case 158:
    case 307:
      return { name: 'GRANARY_TILE_READ_ROWS', value: limits.readRows }
    case 396:
      return { name: 'GRANARY_TILE_RESULT_ROWS', value: limits.resultRows }
    default:
      return null
  }
}
