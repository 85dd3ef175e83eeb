import { fieldOf } from '../../domain/pipe/rejected.ts'
import type { FieldMapping } from '../../domain/pipe/types.ts'
import { quoteIdentifier, quoteString } from '../../lib/clickhouse/identifiers.ts'
import type { ConvertedRow } from '../checks.ts'
import type { Objects } from '../destination/insert-objects.ts'
import { virtualFields } from '../destination/load-objects.ts'
import { planReading } from '../destination/mapping.ts'
import { EngineFailure, type Questions } from '../destination/questions.ts'
import { nullableType, type TargetColumn } from '../destination/types.ts'
import type { Sample } from '../source.ts'
import { fromBytes, openSample, readLines, shown, shownText } from './sample-reading.ts'

/**
 * What the first records of a sample become in the columns, in the order of the columns. Where the engine cannot read
 * all of them together, lines are read one by one, and those that a pipe would reject say why. Nothing is written.
 */
export async function convertSample(
  questions: Questions,
  { sample, columns, mappings }: Conversion,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<ConvertedRow[]> {
  const { format, from, more, path } = await openSample(sample, objects, signal)
  const virtual = path === null ? new Set<string>() : virtualFields
  const plan = planReading({ format, mappings: inOrder(mappings, columns), columns, virtual })
  const texts = plan.columns.map((column, index) =>
    shownText(storedAs(plan.expressions[index] ?? '', column)),
  )

  const read = (table: string, values: Readonly<Record<string, string>>) => {
    const list = Object.entries(values).reduce(
      (text, [name, value]) => text.replaceAll(quoteIdentifier(name), () => value),
      texts.join(', '),
    )
    return questions
      .rows<(string | null)[]>(`SELECT ${list} FROM ${table} LIMIT ${shown.records}`, {
        ...more,
        format: 'JSONCompactEachRow',
      })
      .catch(reasonOf)
  }

  const rejected = sample.kind === 'bytes' ? (sample.rejected ?? []) : []
  const unread = rejected.map(({ raw, reason }) => ({ values: [], reason, field: null, raw }))
  const whole = await read(from(plan.structure), path === null ? {} : { _path: path })
  if (Array.isArray(whole))
    return [...whole.map((values) => ({ values, reason: null, field: null, raw: null })), ...unread]
  const lines = await readLines(questions, sample, objects, signal)
  if (lines === null) return [rejectedRow(whole.reason, null), ...unread]
  const rows: ConvertedRow[] = []
  for (const line of lines.records) {
    const bytes = Buffer.concat([lines.head, line])
    const one = await read(fromBytes(format, plan.structure, bytes), lines.virtual)
    const raw = line.toString().trimEnd().slice(0, rawCharacters)
    if (!Array.isArray(one)) rows.push(rejectedRow(one.reason, raw))
    else rows.push(...one.map((values) => ({ values, reason: null, field: null, raw })))
  }
  return [...rows, ...unread]
}

export interface Conversion {
  sample: Sample
  columns: readonly TargetColumn[]
  mappings: readonly FieldMapping[]
}

const rawCharacters = 1_000

const rejectedRow = (reason: string, raw: string | null): ConvertedRow => ({
  ...{ values: [], reason, field: fieldOf(reason), raw },
})

const inOrder = (mappings: readonly FieldMapping[], columns: readonly TargetColumn[]): FieldMapping[] =>
  columns.flatMap(({ name }) => mappings.filter(({ destinationField }) => destinationField === name))

/** As an insert fills the column: NULL becomes the type's zero where the column has neither NULL nor a DEFAULT. */
function storedAs(expression: string, { type, hasDefault }: TargetColumn): string {
  const nullable = nullableType(type)
  if (nullable === null) return `CAST(${expression}, ${quoteString(type)})`
  if (hasDefault || nullable === type) return `CAST(${expression}, ${quoteString(nullable)})`
  const zero = `defaultValueOfTypeName(${quoteString(type)})`
  return `CAST(ifNull(CAST(${expression}, ${quoteString(nullable)}), ${zero}), ${quoteString(type)})`
}

/** A record or a type that does not fit is what the rows are to show; other failures are the server's. */
function reasonOf(error: unknown): { reason: string } {
  if (error instanceof EngineFailure && error.meaning !== 'retry') return { reason: error.message }
  throw error
}
