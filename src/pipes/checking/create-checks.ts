import type { Issue } from '../../domain/issue.ts'
import type { TableDescription } from '../../domain/source/types.ts'
import { newId } from '../../lib/ids.ts'
import type { CheckedPipe, CheckSource, ConvertedRow, PipeChecks } from '../checks.ts'
import { columnType } from '../destination/changes/expressions.ts'
import { createEngineObjects } from '../destination/engine-objects.ts'
import { createQuestions, type Questions, secretTexts } from '../destination/questions.ts'
import { compareTable } from '../destination/tables.ts'
import type { ObjectStorageLimits } from '../object-storage/open-store.ts'
import type { Sample, SourcePipe, SourceTableCheck } from '../source.ts'
import type { PipeWarehouse } from '../warehouse.ts'
import { checkDestination } from './check-destination.ts'
import { convertSample } from './convert.ts'
import { discoverFields, discoverSample } from './discover.ts'
import { unfitSample } from './fit.ts'
import {
  missingFields,
  namelessFields,
  sentence,
  unfitPath,
  unreadable,
  unreadRecords,
  wrong,
} from './issues.ts'

export interface CheckingParts {
  checkSource: CheckSource
  warehouseOf(pipe: { id: string; serviceId: string }): PipeWarehouse
  limits: ObjectStorageLimits
  /** A request waits for no longer than this. */
  patienceMs: number
}

export function createPipeChecks(parts: CheckingParts): PipeChecks {
  const { checkSource, warehouseOf, limits, patienceMs } = parts
  const never = `The source did not answer within ${patienceMs / 1000} seconds.`

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
      const unread = unreadRecords(kindOf(source), records)
      if (unread.length > 0) return { issues: unread }
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
      const { sample } = found
      if (sample === null) return { issues: [wrong(['source', kind], 'The source has no records yet.')] }
      const unread = unreadRecords(kind, sample)
      if (unread.length > 0) return { issues: unread }
      const schema = await read(discoverSample, { pipe, sample, signal }).catch(unreadable(kind))
      if ('issues' in schema || pipe.spec.fieldMappings.length === 0) return schema
      const rows = await convert(pipe, sample, signal)
      return 'issues' in rows ? rows : { ...schema, ...rows }
    },
  }

  async function convert(
    pipe: CheckedPipe,
    sample: Sample,
    signal: AbortSignal,
  ): Promise<{ issues: Issue[] } | { rows: ConvertedRow[] }> {
    const { source, destination, fieldMappings: mappings } = pipe.spec
    const questions = questionsOf(pipe)
    const issues = [
      ...(await checkDestination(questions, destination, signal)),
      ...namelessFields(source.objectStorage?.format ?? '', mappings),
    ]
    if (issues.length > 0) return { issues }
    const there = await compareTable(questions, destination, signal)
    const columns = there?.columns ?? destination.columns.map((one) => ({ ...one, hasDefault: false }))
    const rows = await read(
      (asked, given, objects, until) =>
        convertSample(asked, { sample: given, columns, mappings }, objects, until),
      { pipe, sample, signal },
    )
    return { rows }
  }
}

const describe = (database: string, tables: readonly SourceTableCheck[]): TableDescription[] =>
  tables.map(({ target, columns, sortingKey }) => ({
    ...{ database, table: target, sortingKey },
    columns: columns.map((column) => ({ name: column.name, type: columnType(column) })),
  }))

const kindOf = (source: CheckedPipe['spec']['source']): string => Object.keys(source)[0] ?? ''
