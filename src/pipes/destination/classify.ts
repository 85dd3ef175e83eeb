/**
 * What an error of the engine means for a pipe, by ClickHouse's code. `data`: some records or an object cannot be
 * read, which never fails the pipe. The others are the verdicts of a `DestinationError`.
 */
export type Meaning = 'data' | 'retry' | 'stop' | 'bug'

/**
 * An unknown code may be a passing trouble, and retries end: after the destination's patience the pipe fails with the
 * engine's message.
 */
export const meaningOf = (code: number, message = ''): Meaning =>
  isOtherSchema(code, message) ? 'data' : (meanings.get(code) ?? 'retry')

/** ILLEGAL_COLUMN is about the table, unless a file or message of Avro has a type that the column cannot take. */
const isOtherSchema = (code: number, message: string): boolean =>
  code === 44 && /Type \S.* is not compatible with Avro /s.test(message)

/** VIOLATED_CONSTRAINT, FUNCTION_THROW_IF_VALUE_IS_NON_ZERO: the table or a view refuses rows. */
export const isRefusal = (code: number): boolean => code === 469 || code === 395

const table: Record<Meaning, readonly number[]> = {
  data: [
    // Text that is cut off or has another form: numbers, dates, arrays, maps, UUIDs, addresses, enums, booleans.
    ...[3, 6, 7, 23, 25, 26, 27, 32, 33, 38, 41, 72, 117, 130, 131, 376, 441, 467, 563, 632, 675, 676, 691],
    // Values that do not fit the column.
    ...[19, 53, 69, 70, 120, 124, 128, 153, 190, 321, 349, 366, 386, 407, 645, 728],
    // Avro, Protobuf, Parquet and others: damaged, or of another schema.
    ...[40, 246, 434, 435, 436, 437, 443, 569, 570, 622, 623, 636, 651, 652, 723, 748, 772, 1001],
    // Damaged compression, and unknown keys where they cannot be skipped.
    ...[271, 354, 448, 554, 561, 594, 618, 638, 626, 643, 715],
  ],
  retry: [
    // Time, load, memory, disk, threads, parts.
    ...[159, 160, 201, 202, 203, 241, 243, 252, 290, 307, 364, 396, 439, 692, 745, 776, 777, 778],
    // Connections, replicas, Keeper, and inserts whose outcome is unknown; 216: the first try still runs.
    ...[
      198, 209, 210, 216, 225, 236, 242, 244, 254, 265, 279, 285, 286, 297, 319, 341, 394, 416, 473, 735, 999,
    ],
    // Reading from object storage.
    ...[86, 95, 410, 499, 500, 693, 707, 737, 1000, 1002, 1009],
  ],
  stop: [
    // The table, its database or one of its columns is not what it was.
    ...[8, 10, 16, 20, 44, 47, 57, 60, 81, 218, 342, 733, 741, 774],
    // The table does not take the rows: constraints, views that throw, partitions.
    ...[248, 395, 469, 565],
    // Rights.
    ...[164, 291, 497, 516],
  ],
  bug: [1, 2, 36, 37, 42, 43, 46, 48, 49, 50, 62, 63, 73, 78, 80, 115, 258, 452, 456, 457, 471, 477],
}

const meanings: ReadonlyMap<number, Meaning> = new Map(
  Object.entries(table).flatMap(([meaning, codes]) => codes.map((code) => [code, meaning as Meaning])),
)
