import type { ChangeStep } from '../../changes.ts'
import { type Destination, DestinationError, type Inserted, type SpooledRows } from '../../destination.ts'
import type { AppliedPipe } from '../../runtime.ts'
import type { PipeWarehouse } from '../../warehouse.ts'
import { createLedger } from '../ledger.ts'
import { createQuestions, secretTexts, toDestinationError } from '../questions.ts'
import { fillRows, insertRows, removeRows } from './row-steps.ts'
import { addColumns, createTable, emptyTable, swapTables } from './table-steps.ts'

/** The tables of a pipe from a database: a batch is steps, of which each can be repeated. */
export function createChangesDestination({
  pipe: { id, spec, secrets },
  warehouse,
}: {
  pipe: Pick<AppliedPipe, 'id' | 'spec' | 'secrets'>
  warehouse: PipeWarehouse
}): Destination {
  const { dialect } = warehouse
  const { database } = spec.destination
  const questions = createQuestions(warehouse, secretTexts(secrets))
  const ledger = createLedger(questions, id, dialect)
  const insertSettings = Object.fromEntries(
    Object.entries(dialect.deduplication.insertSettings).map(([name, value]) => [name, String(value)]),
  )
  const mappings = new Map(spec.source.postgres?.tableMappings.map((each) => [each.targetTable, each]))
  const deleteOnMerge = spec.source.postgres?.settings.deleteOnMerge ?? false
  let isPrepared = false

  async function prepare(signal: AbortSignal): Promise<void> {
    await questions.run(dialect.createDatabase(database), { signal })
    await ledger.create(signal)
    isPrepared = true
  }

  async function take(step: ChangeStep<SpooledRows>, token: string, signal: AbortSignal): Promise<number> {
    const mapping = mappings.get(step.target)
    // The mapping was removed after the batch was begun.
    if (mapping === undefined) return 0
    const table = { questions, dialect, database, mapping, deleteOnMerge }
    const rows = { questions, database, mapping, insertSettings, token }
    if (step.do === 'create') await createTable(table, step, signal)
    else if (step.do === 'add') await addColumns(table, step, signal)
    else if (step.do === 'empty') await emptyTable(table, step, signal)
    else if (step.do === 'swap') await swapTables(table, step, signal)
    else if (step.do === 'insert') await insertRows(rows, step, signal)
    else if (step.do === 'fill') await fillRows(rows, step, signal)
    else await removeRows(rows, step, signal)
    return 'data' in step ? step.data.rows : 0
  }

  return {
    async prepare(signal) {
      await prepare(signal).catch(failed)
      return { delivery: 'exactly_once' }
    },
    async insert(batch, signal): Promise<Inserted> {
      if (batch.content.kind !== 'changes') throw new DestinationError('bug', 'the batch has no steps')
      try {
        if (!isPrepared) await prepare(signal)
        let rows = 0
        for (const [index, step] of batch.content.steps.entries()) {
          signal.throwIfAborted()
          rows += await take(step, `${batch.token}:${index}`, signal)
        }
        const inserted = { rows, rejected: 0, sampleReason: '' }
        await ledger.note(batch, inserted, signal)
        return inserted
      } catch (error) {
        return failed(error)
      }
    },
    committed: (signal) => ledger.read(signal).catch(failed),
  }
}

function failed(error: unknown): never {
  throw toDestinationError(error)
}
