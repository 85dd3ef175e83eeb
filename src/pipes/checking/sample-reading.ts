import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import type { Objects } from '../destination/insert-objects.ts'
import { readingSettings } from '../destination/mapping.ts'
import type { Questions } from '../destination/questions.ts'
import { headLines, lineFormats } from '../destination/salvage-lines.ts'
import type { Sample } from '../source.ts'

/** A sample as the engine reads it. */
export interface SampleReading {
  format: string
  /** What follows FROM or DESCRIBE TABLE; null = the engine infers the columns. */
  from(structure: string | null): string
  /** What the statement needs beside it. */
  more: NonNullable<Parameters<Questions['rows']>[1]>
  /** The expression for `_path`; null = records have no virtual fields, only those of their own. */
  path: string | null
}

const settings = {
  ...readingSettings,
  describe_compact_output: '1',
  schema_inference_make_columns_nullable: 'auto',
  input_format_json_try_infer_named_tuples_from_objects: '1',
  max_query_size: '67108864',
  // The records come in their order.
  max_threads: '1',
}

/** How many records of a sample are answered, and how many characters of each value. */
export const shown = { records: 20, characters: 200 }
export const shownText = (expression: string): string => `left(toString(${expression}), ${shown.characters})`

export async function openSample(
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<SampleReading> {
  if (sample.kind === 'bytes') {
    const { format, bytes } = sample
    const more = { settings: { ...settings, ...sample.settings }, signal }
    return { format, from: (structure) => fromBytes(format, structure, bytes), more, path: null }
  }
  if (objects === null) throw new Error('a sample of objects comes from a source of objects')
  const { reading, endpoints } = await objects.reading(sample.objects)
  const more = { settings: { ...settings, ...reading.settings }, endpoints, signal }
  return { format: objects.format, from: reading.from, more, path: reading.path }
}

/** The first records of a sample one by one. */
export interface SampleLines {
  /** What stands before each of them. */
  head: Buffer
  records: Buffer[]
  /** The values of virtual fields, as expressions. */
  virtual: Readonly<Record<string, string>>
}

/** Null = the records of the format are no lines. */
export async function readLines(
  { rows }: Questions,
  sample: Sample,
  objects: Objects | null,
  signal: AbortSignal,
): Promise<SampleLines | null> {
  if (sample.kind === 'bytes') {
    if (sample.format !== 'JSONEachRow') return null
    // Latin-1 keeps every byte as it is.
    const lines = Buffer.from(sample.bytes).toString('latin1').split('\n').filter(Boolean)
    const records = lines.slice(0, shown.records).map((line) => Buffer.from(`${line}\n`, 'latin1'))
    return { head: Buffer.alloc(0), records, virtual: {} }
  }
  if (objects === null || !lineFormats.has(objects.format)) return null
  const { reading, endpoints } = await objects.reading(sample.objects, 'LineAsString')
  const heads = headLines(objects.format)
  const found = await rows<{ line: string; path: string; file: string; size: string; time: string }>(
    `SELECT base64Encode(line) AS line, toString(${reading.path}) AS path, toString(_file) AS file,
        toString(_size) AS size, toString(_time) AS time
      FROM ${reading.from('line String')} WHERE notEmpty(trimBoth(line)) LIMIT ${shown.records + heads}`,
    { settings: { ...settings, ...reading.settings, input_format_parallel_parsing: '0' }, endpoints, signal },
  )
  const lines = found.map(({ line }) => Buffer.concat([Buffer.from(line, 'base64'), newline]))
  const [first] = found
  const virtual: Record<string, string> = first
    ? {
        ...{ _path: quoteString(first.path), _file: quoteString(first.file), _size: first.size },
        _time: `toDateTime(${quoteString(first.time)})`,
      }
    : {}
  return { head: Buffer.concat(lines.slice(0, heads)), records: lines.slice(heads), virtual }
}

const newline = Buffer.from('\n')

export const fromBytes = (format: string, structure: string | null, bytes: Uint8Array): string =>
  `format(${[format, ...(structure === null ? [] : [quoteString(structure)]), quoteBytes(bytes)].join(', ')})`

/** A string of any bytes. */
function quoteBytes(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
    text += isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `'${text}'`
}
