import { createHash } from 'node:crypto'
import { quoteIdentifier, quoteString } from '../../lib/clickhouse/identifiers.ts'
import { nameOf } from './errors-table.ts'
import { oneBlock } from './insert-records.ts'
import type { Questions } from './questions.ts'
import type { Target } from './target.ts'

/**
 * The table that a batch of objects is loaded into before its rows go to the pipe's table. A load that fails leaves
 * nothing in the pipe's table. When all is loaded, the ledger notes it; from then on the staging table is never loaded
 * again, only emptied into the pipe's table, however often that is interrupted:
 *
 * - Where no view reads the table, whole parts are moved. A crash may leave a part in both tables. It is recognized by
 *   the hash of its files, among the parts that came to the pipe's table after the note.
 * - Otherwise the rows of each part are inserted, with a token of their own. The parts stay as they are, since the
 *   staging table does not merge, and one thread reads each in the same blocks every time.
 */
export interface Staging {
  name: string
  /** Begins anew, with an empty table. */
  create(signal: AbortSignal): Promise<void>
  rows(signal: AbortSignal): Promise<number>
  /** What `empty` must know of the pipe's table as it is before the first part comes. */
  lastBlock(signal: AbortSignal): Promise<string>
  /** Puts all rows into the pipe's table, and drops the staging table. `isRepeated` = that may have begun before. */
  empty(lastBlock: string, isRepeated: boolean, signal: AbortSignal): Promise<void>
}

interface Part {
  name: string
  partition: string
  hash: string
}

/** The staging table keeps the parts that were loaded. */
const withoutMerges = ['max_bytes_to_merge_at_max_space_in_pool', 'max_bytes_to_merge_at_min_space_in_pool']
  .map((name) => `${name} = 1`)
  .join(', ')

export function createStaging(questions: Questions, target: Target, token: string): Staging {
  const { run, rows } = questions
  const { database } = target
  const hash = createHash('sha256').update(token).digest('hex').slice(0, 16)
  const table = `${target.table}_pipe_staging_${hash}`
  const name = nameOf(database, table)
  const movesParts = !target.hasViews && /^\w*MergeTree$/.test(target.engine)

  const partsOf = (of: string, more: string, signal: AbortSignal) =>
    rows<Part>(
      `SELECT name, partition_id AS partition, hash_of_all_files AS hash FROM system.parts
        WHERE database = ${quoteString(database)} AND table = ${quoteString(of)} AND rows > 0 AND ${more} ORDER BY name`,
      { signal },
    )

  async function drop(signal: AbortSignal): Promise<void> {
    await run(`DROP TABLE IF EXISTS ${name} SYNC`, { signal })
  }

  async function moveParts(lastBlock: string, isRepeated: boolean, signal: AbortSignal): Promise<void> {
    const since = `min_block_number > ${Number(lastBlock)}`
    const moved = isRepeated ? await partsOf(target.table, since, signal) : []
    const partitions = new Set<string>()
    for (const part of await partsOf(table, 'active', signal)) {
      const at = moved.findIndex((each) => each.hash === part.hash)
      if (at < 0) {
        partitions.add(part.partition)
        continue
      }
      // Another part may have the same content.
      moved.splice(at, 1)
      await run(`ALTER TABLE ${name} DROP PART ${quoteString(part.name)}`, { signal })
    }
    for (const partition of partitions) {
      await run(`ALTER TABLE ${name} MOVE PARTITION ID ${quoteString(partition)} TO TABLE ${target.name}`, {
        signal,
      })
    }
  }

  async function insertParts(signal: AbortSignal): Promise<void> {
    const columns = target.columns.map((column) => quoteIdentifier(column.name)).join(', ')
    for (const part of await partsOf(table, 'active', signal)) {
      await run(
        `INSERT INTO ${target.name} (${columns}) SELECT ${columns} FROM ${name} WHERE _part = ${quoteString(part.name)}`,
        {
          settings: {
            ...oneBlock(target, `${token}:${part.name}`),
            // A part may be larger than memory: it is cut into these blocks, always at the same rows.
            ...{ min_insert_block_size_rows: '1048576', min_insert_block_size_bytes: '268435456' },
            parallel_view_processing: target.settings.db_parallel_view_processing ? '1' : '0',
          },
          signal,
        },
      )
    }
  }

  return {
    name,
    async create(signal) {
      await drop(signal)
      if (movesParts) {
        await run(`CREATE TABLE ${name} AS ${target.name}`, { signal })
        await run(`ALTER TABLE ${name} MODIFY SETTING ${withoutMerges}`, { signal })
        return
      }
      const engine = `MergeTree ORDER BY tuple() SETTINGS ${withoutMerges}`
      await run(`CREATE TABLE ${name} AS ${target.name} ENGINE = ${engine}`, { signal })
    },
    async rows(signal) {
      return Number((await run(`SELECT count() FROM ${name}`, { signal })).trim())
    },
    async lastBlock(signal) {
      const text = await run(
        `SELECT max(max_block_number) FROM system.parts
          WHERE database = ${quoteString(database)} AND table = ${quoteString(target.table)}`,
        { signal },
      )
      return text.trim()
    },
    async empty(lastBlock, isRepeated, signal) {
      await (movesParts ? moveParts(lastBlock, isRepeated, signal) : insertParts(signal))
      await drop(signal)
    },
  }
}
