import type { KafkaSource } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { type SourceCheck, SourceError, type SourcePipe } from '../source.ts'
import { type Fault, readFault } from './client-errors.ts'
import { type Cluster, connectCluster } from './cluster.ts'
import { type ConnectionParts, resolveConnection, splitList } from './connection-options.ts'
import { createFormats } from './formats.ts'
import { readSample } from './sample.ts'

type Problem = { path: string[]; message: string }

/** Connects, looks at every topic and at the schema registry, and tells all that is wrong. */
export async function checkKafkaSource(
  pipe: SourcePipe,
  wanted: { sample: boolean; signal: AbortSignal },
  parts: ConnectionParts,
): Promise<SourceCheck> {
  const kafka = pipe.source.kafka
  if (kafka === undefined) return { ok: false, problems: [{ path: ['kafka'], message: 'It is missing.' }] }
  // The group is only named: nothing is written to it here.
  const cluster = connectCluster(await resolveConnection(kafka, pipe.secrets, parts), 'granary-check')
  try {
    const work = checkAll(pipe, kafka, cluster, wanted.sample, parts.clock)
    return await Promise.race([work, aborted(wanted.signal)])
  } finally {
    await cluster.close()
  }
}

async function checkAll(
  pipe: SourcePipe,
  kafka: KafkaSource,
  cluster: Cluster,
  isSampling: boolean,
  clock: Clock,
): Promise<SourceCheck> {
  const { formatOf, registry } = createFormats(pipe, kafka, clock)
  const problems: Problem[] = []
  const topics = splitList(kafka.topics)
  for (const topic of topics) {
    try {
      await tryTopic(cluster, topic)
    } catch (error) {
      const fault = readFault(error)
      problems.push(problemOf(kafka, fault, topic))
      if (fault.kind !== 'topic') break
    }
  }
  try {
    await registry?.check()
  } catch (error) {
    const message = error instanceof SourceError ? error.message : 'The schema registry cannot be used.'
    problems.push({ path: ['kafka', 'schemaRegistry'], message })
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, sample: isSampling ? await readSample(cluster, topics, formatOf) : null }
}

/** Describing a topic and reading it are two permissions. */
async function tryTopic(cluster: Cluster, topic: string): Promise<void> {
  const [described] = await cluster.describe([topic])
  const [offset = 0] = await cluster.offsets(topic, 'latest')
  const leader = described?.leaders[0] ?? -1
  if (leader < 0) return
  const partitions = [{ topic, partition: 0, offset, maxBytes: 1 }]
  const [fetched] = await cluster.fetch(leader, { maxWaitMs: 0, minBytes: 0, maxBytes: 1, partitions })
  if (fetched?.errorCode === 29) throw Object.assign(new Error(), { apiId: 'TOPIC_AUTHORIZATION_FAILED' })
}

function problemOf({ authentication }: KafkaSource, { kind, message }: Fault, topic: string): Problem {
  const at = (field: string): Problem => ({ path: ['kafka', field], message })
  if (kind === 'topic') return { ...at('topics'), message: `${topic}: ${message}` }
  if (kind === 'tls') return at('caCertificate')
  if (kind === 'credentials') return at(authentication === 'IAM_ROLE' ? 'iamRole' : 'credentials')
  return at('brokers')
}

const aborted = (signal: AbortSignal): Promise<SourceCheck> =>
  new Promise((resolve) => {
    const message = 'The brokers do not answer in time.'
    const end = (): void => resolve({ ok: false, problems: [{ path: ['kafka', 'brokers'], message }] })
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
