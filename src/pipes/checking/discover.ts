import { parseColumns } from '../../lib/clickhouse/column-list.ts'
import type { DiscoveredField } from '../checks.ts'
import type { Objects } from '../destination/insert-objects.ts'
import { readingSettings } from '../destination/mapping.ts'
import type { Questions } from '../destination/questions.ts'
import type { Sample } from '../source.ts'

const settings = {
  ...readingSettings,
  describe_compact_output: '1',
  schema_inference_make_columns_nullable: 'auto',
  input_format_json_try_infer_named_tuples_from_objects: '1',
  max_query_size: '67108864',
}

/** The fields of a sample with the types that the engine infers. Fields of objects stand for their objects. */
export async function discoverFields(
  questions: Questions,
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<DiscoveredField[]> {
  const described = await describe(questions, sample, objects, signal)
  return described.flatMap(({ name, type }) => flatten(name, type))
}

interface Described {
  name: string
  type: string
}

async function describe(
  { rows }: Questions,
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<Described[]> {
  if (sample.kind === 'bytes') {
    const from = `format(${sample.format}, ${quoteBytes(sample.bytes)})`
    return rows(`DESCRIBE TABLE ${from}`, { settings: { ...settings, ...sample.settings }, signal })
  }
  if (objects === null) throw new Error('a sample of objects comes from a source of objects')
  const { reading, endpoints } = await objects.reading(sample.objects)
  return rows(`DESCRIBE TABLE ${reading.from(null)}`, {
    settings: { ...settings, ...reading.settings },
    endpoints,
    signal,
  })
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
function flatten(name: string, type: string): DiscoveredField[] {
  const inner = /^Tuple\((.*)\)$/s.exec(type)?.[1]
  const elements = inner === undefined ? null : parseColumns(inner)
  if (elements === null) return [{ name, type: columnType(type) }]
  return elements.flatMap((element) => flatten(`${name}.${element.name}`, element.type))
}

/** A column that only held nulls says nothing of its type; more digits than microseconds shorten the range of years. */
const columnType = (type: string): string =>
  type
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\() | (?=[),])/g, '')
    .replaceAll(/Nullable\(Nothing\)|\bNothing\b/g, 'Nullable(String)')
    .replaceAll('DateTime64(9)', 'DateTime64(6)')
