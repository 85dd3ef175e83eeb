import { parseColumns } from '../../lib/clickhouse/column-list.ts'
import { quoteIdentifier } from '../../lib/clickhouse/identifiers.ts'
import type { DiscoveredField, DiscoveredSchema } from '../checks.ts'
import type { Objects } from '../destination/insert-objects.ts'
import { EngineFailure, type Questions } from '../destination/questions.ts'
import type { Sample } from '../source.ts'
import { openSample, readLines, type SampleReading, shown, shownText } from './sample-reading.ts'

/** The fields of a sample with the types that the engine infers. Fields of objects stand for their objects. */
export async function discoverFields(
  questions: Questions,
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<DiscoveredField[]> {
  const reading = await openSample(sample, objects, signal)
  return (await describe(questions, reading)).map(({ name, type }) => ({ name, type }))
}

/** As `discoverFields`, with the first records as texts. Broken lines of JSON hide no others. */
export async function discoverSample(
  questions: Questions,
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<Pick<DiscoveredSchema, 'fields' | 'records'>> {
  try {
    return await readSample(questions, await openSample(sample, objects, signal))
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.meaning === 'retry') throw error
    const sound = await soundLines(questions, sample, objects, signal)
    if (sound === null) throw error
    return readSample(questions, await openSample(sound, null, signal))
  }
}

async function readSample(questions: Questions, reading: SampleReading) {
  const fields = await describe(questions, reading)
  if (fields.length === 0) return { fields: [], records: [] }
  const texts = fields.map(({ path }) => shownText(path.map(quoteIdentifier).join('.')))
  const records = await questions
    .rows<(string | null)[]>(`SELECT ${texts.join(', ')} FROM ${reading.from(null)} LIMIT ${shown.records}`, {
      ...reading.more,
      format: 'JSONCompactEachRow',
    })
    .catch(noRecords)
  return { fields: fields.map(({ name, type }) => ({ name, type })), records }
}

/** A pipe rejects the records that cannot be read and goes on: the fields are worth knowing without them. */
function noRecords(error: unknown): [] {
  if (error instanceof EngineFailure && error.meaning !== 'retry') return []
  throw error
}

/** The first lines that are JSON; null = there are none, or the format is another. */
async function soundLines(
  questions: Questions,
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<Sample | null> {
  const format = 'JSONEachRow'
  if ((sample.kind === 'bytes' ? sample.format : objects?.format) !== format) return null
  const lines = await readLines(questions, sample, objects, signal)
  const sound = lines?.records.filter(isJsonObject) ?? []
  return sound.length === 0 ? null : { kind: 'bytes', format, bytes: Buffer.concat(sound), settings: {} }
}

function isJsonObject(line: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(line.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** A field with the names that lead to it, which may have dots themselves. */
interface Described extends DiscoveredField {
  path: string[]
}

async function describe({ rows }: Questions, { from, more }: SampleReading): Promise<Described[]> {
  const described = await rows<DiscoveredField>(`DESCRIBE TABLE ${from(null)}`, more)
  return described.flatMap(({ name, type }) => flatten([name], type))
}

/** `o Tuple(a Int64, b Tuple(c String))` → `o.a Int64`, `o.b.c String`. */
function flatten(path: string[], type: string): Described[] {
  const inner = /^Tuple\((.*)\)$/s.exec(type)?.[1]
  const elements = inner === undefined ? null : parseColumns(inner)
  if (elements === null) return [{ name: path.join('.'), path, type: columnType(type) }]
  return elements.flatMap((element) => flatten([...path, element.name], element.type))
}

/** A column that only held nulls says nothing of its type; more digits than microseconds shorten the range of years. */
const columnType = (type: string): string =>
  type
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\() | (?=[),])/g, '')
    .replaceAll(/Nullable\(Nothing\)|\bNothing\b/g, 'Nullable(String)')
    .replaceAll('DateTime64(9)', 'DateTime64(6)')
