import { parseColumns } from '../../lib/clickhouse/column-list.ts'
import { quoteIdentifier } from '../../lib/clickhouse/identifiers.ts'
import type { DiscoveredField, DiscoveredSchema } from '../checks.ts'
import type { Objects } from '../destination/insert-objects.ts'
import { readingSettings } from '../destination/mapping.ts'
import { EngineFailure, type Questions } from '../destination/questions.ts'
import type { Sample } from '../source.ts'

const settings = {
  ...readingSettings,
  describe_compact_output: '1',
  schema_inference_make_columns_nullable: 'auto',
  input_format_json_try_infer_named_tuples_from_objects: '1',
  max_query_size: '67108864',
}

/** How many records of a sample are answered, and how many characters of each value. */
const shown = { records: 20, characters: 200 }

/** The fields of a sample with the types that the engine infers. Fields of objects stand for their objects. */
export async function discoverFields(
  questions: Questions,
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<DiscoveredField[]> {
  const { from, more } = await fromOf(sample, objects, signal)
  return (await describe(questions, from, more)).map(({ name, type }) => ({ name, type }))
}

/** As `discoverFields`, with the first records as texts. */
export async function discoverSample(
  questions: Questions,
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<DiscoveredSchema> {
  const { from, more } = await fromOf(sample, objects, signal)
  const fields = await describe(questions, from, more)
  if (fields.length === 0) return { fields: [], records: [] }
  const texts = fields.map(
    ({ path }) => `left(toString(${path.map(quoteIdentifier).join('.')}), ${shown.characters})`,
  )
  const records = await questions
    .rows<(string | null)[]>(`SELECT ${texts.join(', ')} FROM ${from} LIMIT ${shown.records}`, {
      ...more,
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

/** What follows FROM or DESCRIBE TABLE, and what the statement needs beside it. */
async function fromOf(sample: Sample, objects: Objects | null, signal: AbortSignal) {
  if (sample.kind === 'bytes') {
    const from = `format(${sample.format}, ${quoteBytes(sample.bytes)})`
    return { from, more: { settings: { ...settings, ...sample.settings }, signal } }
  }
  if (objects === null) throw new Error('a sample of objects comes from a source of objects')
  const { reading, endpoints } = await objects.reading(sample.objects)
  return {
    from: reading.from(null),
    more: { settings: { ...settings, ...reading.settings }, endpoints, signal },
  }
}

/** A field with the names that lead to it, which may have dots themselves. */
interface Described extends DiscoveredField {
  path: string[]
}

async function describe(
  { rows }: Questions,
  from: string,
  more: Awaited<ReturnType<typeof fromOf>>['more'],
): Promise<Described[]> {
  const described = await rows<DiscoveredField>(`DESCRIBE TABLE ${from}`, more)
  return described.flatMap(({ name, type }) => flatten([name], type))
}

/** A string of any bytes. */
function quoteBytes(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
    text += isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `'${text}'`
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
