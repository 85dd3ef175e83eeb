import type { Issue } from '../../domain/issue.ts'
import { fieldOf } from '../../domain/pipe/rejected.ts'
import type { PipeDestination } from '../../domain/pipe/types.ts'
import type { TableDescription } from '../../domain/source/types.ts'
import { newId } from '../../lib/ids.ts'
import type { CheckedPipe, CheckSource, DiscoveredField, PipeChecks } from '../checks.ts'
import { columnType } from '../destination/changes/expressions.ts'
import { createEngineObjects } from '../destination/engine-objects.ts'
import { createQuestions, EngineFailure, type Questions, secretTexts } from '../destination/questions.ts'
import { compareTable, declaredTypes } from '../destination/tables.ts'
import type { ObjectStorageLimits } from '../object-storage/open-store.ts'
import type { Sample, SourcePipe, SourceTableCheck } from '../source.ts'
import type { PipeWarehouse } from '../warehouse.ts'
import { discoverFields, discoverSample } from './discover.ts'
import { unfitSample } from './fit.ts'

export interface CheckingParts {
  checkSource: CheckSource
  warehouseOf(pipe: { id: string; serviceId: string }): PipeWarehouse
  limits: ObjectStorageLimits
}

/** A request waits for no longer than this. */
const patienceMs = 30_000
const never = `The source did not answer within ${patienceMs / 1000} seconds.`

export function createPipeChecks({ checkSource, warehouseOf, limits }: CheckingParts): PipeChecks {
  /** The sample is null where none was asked for, or the source has no record yet. */
  async function look(
    { spec, secrets }: CheckedPipe,
    sample: boolean,
    signal: AbortSignal,
  ): Promise<{ issues: Issue[] } | { sample: Sample | null; tables?: TableDescription[] }> {
    const { source, settings, scaling, fieldMappings } = spec
    const fields = fieldMappings.map(({ sourceField }) => sourceField)
    const pipe: SourcePipe = { id: newId(), source, secrets, settings, scaling, fields }
    try {
      const checked = await checkSource(pipe, { sample, signal })
      if (checked.ok) {
        const { sample, tables } = checked
        return { sample, ...(tables && { tables: describe(spec.destination.database, tables) }) }
      }
      return { issues: checked.problems.map(({ path, message }) => wrong(['source', ...path], message)) }
    } catch (error) {
      if (!signal.aborted) throw error
      return { issues: [wrong(['source', kindOf(source)], never)] }
    }
  }

  async function read<T>(
    what: (...given: Parameters<typeof discoverFields>) => Promise<T>,
    { pipe, sample, signal }: { pipe: CheckedPipe; sample: Sample; signal: AbortSignal },
  ): Promise<T> {
    const { objectStorage } = pipe.spec.source
    const { secrets } = pipe
    const objects =
      objectStorage === undefined ? null : createEngineObjects({ source: objectStorage, secrets }, limits)
    try {
      return await what(questionsOf(pipe), sample, objects, signal)
    } finally {
      await objects?.close()
    }
  }

  const questionsOf = ({ serviceId, secrets }: CheckedPipe): Questions =>
    createQuestions(warehouseOf({ id: 'check', serviceId }), secretTexts(secrets))

  return {
    async check(pipe, { sample }) {
      const { source, destination, fieldMappings } = pipe.spec
      const signal = AbortSignal.timeout(patienceMs)
      const table =
        source.postgres === undefined
          ? checkDestination(questionsOf(pipe), destination, signal)
          : Promise.resolve<Issue[]>([])
      // It is awaited below; this keeps an earlier rejection from counting as unhandled.
      table.catch(() => undefined)
      const found = await look(pipe, sample, signal)
      const issues = [...('issues' in found ? found.issues : []), ...(await table)]
      if (issues.length > 0 || !('sample' in found)) return { issues }
      const { sample: records, ...tables } = found
      if (records === null) return { issues, ...tables }
      const fields = await read(discoverFields, { pipe, sample: records, signal }).catch(
        unreadable(kindOf(source)),
      )
      if (!Array.isArray(fields)) return fields
      const missing = missingFields(fields, fieldMappings)
      if (missing.length > 0 || records.kind !== 'bytes') return { issues: missing }
      const reason = await unfitSample(questionsOf(pipe), records, pipe.spec, signal)
      if (reason === null) return { issues: [] }
      const message = `no record of the sample fits the columns: ${reason}`
      return { issues: [wrong(unfitPath(reason, pipe.spec), sentence(message))] }
    },

    async discover(pipe) {
      const kind = kindOf(pipe.spec.source)
      if (kind === 'postgres')
        return { issues: [wrong(['source', kind], `The fields of ${kind} sources cannot be discovered.`)] }
      const signal = AbortSignal.timeout(patienceMs)
      const found = await look(pipe, true, signal)
      if ('issues' in found) return found
      if (found.sample === null)
        return { issues: [wrong(['source', kind], 'The source has no records yet.')] }
      return read(discoverSample, { pipe, sample: found.sample, signal }).catch(unreadable(kind))
    },
  }
}

const describe = (database: string, tables: readonly SourceTableCheck[]): TableDescription[] =>
  tables.map(({ target, columns, sortingKey }) => ({
    ...{ database, table: target, sortingKey },
    columns: columns.map((column) => ({ name: column.name, type: columnType(column) })),
  }))

const kindOf = (source: CheckedPipe['spec']['source']): string => Object.keys(source)[0] ?? ''

const wrong = (path: Issue['path'], message: string): Issue => ({ path, code: 'invalid_value', message })

/** Records that the engine cannot read are the source's matter; other failures are the server's. */
const unreadable =
  (kind: string) =>
  (error: unknown): { issues: Issue[] } => {
    if (!(error instanceof EngineFailure) || error.meaning === 'retry') throw error
    return {
      issues: [wrong(['source', kind, 'format'], sentence(`the sample cannot be read: ${error.message}`))],
    }
  }

/** The column whose field the engine names, or all columns. */
function unfitPath(reason: string, { fieldMappings, destination }: CheckedPipe['spec']): Issue['path'] {
  const field = fieldOf(reason)
  const mapping = fieldMappings.find(({ sourceField }) => sourceField === field)
  const index = destination.columns.findIndex(({ name }) => name === mapping?.destinationField)
  return index < 0 ? ['destination', 'columns'] : ['destination', 'columns', index, 'type']
}

function missingFields(
  fields: readonly DiscoveredField[],
  mappings: CheckedPipe['spec']['fieldMappings'],
): Issue[] {
  const names = fields.map(({ name }) => name)
  const isThere = (field: string) =>
    field.startsWith('_') ||
    names.some((name) => name === field || name.startsWith(`${field}.`) || field.startsWith(`${name}.`))
  return mappings.flatMap(({ sourceField }, index) => {
    if (isThere(sourceField)) return []
    const message = `No record of the sample has this field; it has ${names.slice(0, 20).join(', ') || 'none'}.`
    return [{ path: ['fieldMappings', index, 'sourceField'], code: 'not_found' as const, message }]
  })
}

/** A service that does not answer now is no reason to refuse a pipe: it waits for the service anyway. */
async function checkDestination(
  questions: Questions,
  destination: PipeDestination,
  signal: AbortSignal,
): Promise<Issue[]> {
  try {
    const types = await wrongTypes(questions, destination, signal)
    if (types.length > 0) return types
    const found = await compareTable(questions, destination, signal)
    if (found !== null) {
      return found.problems.map(({ index, message }) =>
        wrong(['destination', 'columns', index], sentence(message)),
      )
    }
    if (destination.managedTable) return []
    const message = 'The table does not exist, and managedTable is false.'
    return [{ path: ['destination', 'table'], code: 'not_found', message }]
  } catch (error) {
    if (signal.aborted || (error instanceof EngineFailure && error.meaning === 'retry')) return []
    throw error
  }
}

async function wrongTypes(
  questions: Questions,
  { columns }: PipeDestination,
  signal: AbortSignal,
): Promise<Issue[]> {
  const isRight = await declaredTypes(questions, columns, signal).then(() => null, refused)
  if (isRight === null) return []
  const issues: Issue[] = []
  for (const [index, column] of columns.entries()) {
    const reason = await declaredTypes(questions, [column], signal).then(() => null, refused)
    if (reason !== null) issues.push(wrong(['destination', 'columns', index, 'type'], sentence(reason)))
  }
  return issues
}

function refused(error: unknown): string {
  if (error instanceof EngineFailure && error.meaning !== 'retry') return error.message
  throw error
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
