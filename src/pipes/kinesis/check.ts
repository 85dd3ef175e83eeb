import type { KinesisSource } from '../../domain/pipe/types.ts'
import { createMemorySpool } from '../formats/memory-spool.ts'
import { type Sample, type SourceCheck, SourceError } from '../source.ts'
import { StreamError } from './explain.ts'
import type { Formats } from './formats.ts'
import { messagesOf } from './messages.ts'
import type { Stream } from './stream.ts'

const sampleRecords = 100
const sampleShards = 8
/** A shard answers without records while they are further on. */
const sampleReads = 5
const maxBytes = 1_000_000

/** Describes, lists and reads the stream, and tells what is wrong. */
export async function checkStream(
  stream: Stream,
  source: KinesisSource,
  isSampling: boolean,
  { formatOf, registry }: Formats,
): Promise<SourceCheck> {
  const formatProblem = await checkRegistry(source, registry)
  if (formatProblem !== '') {
    return { ok: false, problems: [{ path: ['kinesis', 'format'], message: formatProblem }] }
  }
  try {
    const { arn } = await stream.describe()
    const [first] = await stream.shards()
    if (first !== undefined) await stream.records(await stream.iterator(first.id, { kind: 'beginning' }))
    if (source.useEnhancedFanOut) await stream.findConsumer(arn, 'granary-check').catch(fanOutProblem)
    return { ok: true, sample: isSampling ? await readSample(stream, formatOf) : null }
  } catch (error) {
    if (!(error instanceof StreamError)) throw error
    const { field, message } = error
    const named = field === 'key' ? (source.authentication === 'IAM_ROLE' ? 'iamRole' : 'accessKey') : field
    return { ok: false, problems: [{ path: ['kinesis', named], message }] }
  }
}

/** "" = the format can be read. */
async function checkRegistry({ format }: KinesisSource, registry: Formats['registry']): Promise<string> {
  if (format !== 'AvroConfluent') return ''
  if (registry === undefined) {
    return 'Its records name schemas of a registry, and this server knows none: set GRANARY_KINESIS_SCHEMA_REGISTRY, or send Avro or JSON.'
  }
  try {
    await registry.check()
    return ''
  } catch (error) {
    return error instanceof SourceError ? error.message : 'The schema registry cannot be used.'
  }
}

/** A consumer is registered only by a pipe that runs; here it is enough that one may be looked for. */
function fanOutProblem(error: unknown): void {
  if (!(error instanceof StreamError)) throw error
  if (error.kind === 'missing') return
  throw new StreamError(error.verdict, 'useEnhancedFanOut', error.message)
}

async function readSample(stream: Stream, formatOf: Formats['formatOf']): Promise<Sample | null> {
  const spool = createMemorySpool()
  const shards = (await stream.shards()).toReversed().slice(0, sampleShards)
  for (const shard of shards) {
    if (spool.records >= sampleRecords) break
    const format = formatOf(shard.id)
    let iterator = await stream.iterator(shard.id, { kind: 'beginning' })
    for (let reads = 0; reads < sampleReads && iterator !== ''; reads++) {
      const { records, next } = await stream.records(iterator, sampleRecords)
      iterator = next
      const writer = format.begin(spool)
      for (const record of records) {
        for (const message of messagesOf(record, shard, maxBytes)) {
          if (message.failure !== undefined || spool.records >= sampleRecords) continue
          await format.prepare([message])
          if (!writer.write(message)) return spool.sample()
        }
      }
      writer.end()
      if (records.length > 0) break
    }
  }
  return spool.sample()
}
