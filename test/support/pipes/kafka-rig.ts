import type { TestContext } from 'node:test'
import type { KafkaInput } from '../../../src/domain/pipe/input.ts'
import { resolveKafka } from '../../../src/domain/pipe/kafka.ts'
import { flagSettings, numberSettings } from '../../../src/domain/pipe/limits.ts'
import type { PipeScaling, PipeSettings } from '../../../src/domain/pipe/types.ts'
import { readEgressList } from '../../../src/lib/egress/list.ts'
import { sourceEgress } from '../../../src/pipes/egress.ts'
import { createKafkaSource } from '../../../src/pipes/kafka/kafka-source.ts'
import type { SourceKind, SourcePipe } from '../../../src/pipes/source.ts'
import { type Kafka, startKafka } from '../kafka/kafka.ts'
import type { KafkaOptions } from '../kafka/options.ts'
import { createFakeRuntime, type FakeRuntime } from './fake-read-task.ts'

export interface KafkaRig {
  kafka: Kafka
  source: SourceKind
  runtime: FakeRuntime
  pipe: SourcePipe
  /** Begins to read. The reading ends with the test, or when `stop` is called. */
  read(options?: Parameters<FakeRuntime['task']>[0]): Reading
}

export interface Reading {
  /** Stops and resolves with how the reading ended. */
  stop(): Promise<string>
  ended: Promise<string>
}

export interface RigOptions {
  cluster?: KafkaOptions
  input?: Partial<KafkaInput>
  fields?: string[]
  scaling?: Partial<PipeScaling>
  settings?: Partial<PipeSettings>
  topics?: Record<string, number>
}

/** A cluster, a pipe on its topics (by default `t` with one partition), and the runtime's side in memory. */
export async function createKafkaRig(t: TestContext, options: RigOptions = {}): Promise<KafkaRig> {
  const kafka = await startKafka(options.cluster)
  const readings: Reading[] = []
  t.after(async () => {
    await Promise.allSettled(readings.map((reading) => reading.stop()))
    await kafka.stop()
  })
  const topics = options.topics ?? { t: 1 }
  for (const [name, partitions] of Object.entries(topics)) kafka.createTopic(name, partitions)
  const input = { brokers: kafka.brokers.join(','), topics: Object.keys(topics).join(','), ...options.input }
  const pipe = kafkaPipe(input, options)
  const runtime = createFakeRuntime(pipe)
  const pauses = { refreshMs: 50, leaseAgainMs: 20, idleWaitMs: 50 }
  const source = createKafkaSource({ egress: anywhere, pauses })
  return {
    ...{ kafka, source, runtime, pipe },
    read(given) {
      const task = runtime.task(given)
      const ended = source.read(task)
      ended.catch(() => {})
      const reading = {
        ended,
        stop() {
          task.stop()
          return ended
        },
      }
      readings.push(reading)
      return reading
    },
  }
}

export const anywhere = sourceEgress(readEgressList('any'))

export function kafkaPipe(input: KafkaInput, options: RigOptions = {}): SourcePipe {
  const { source, secrets } = resolveKafka(input)
  return {
    ...{ id: '6f1a', source: { kafka: source }, secrets, fields: options.fields ?? [] },
    settings: { ...defaultSettings, streaming_max_insert_wait_ms: 30, ...options.settings },
    scaling: {
      replicas: 1,
      concurrency: 0,
      replicaCpuMillicores: 1000,
      replicaMemoryGb: 1,
      ...options.scaling,
    },
  }
}

export const defaultSettings = Object.fromEntries(
  Object.entries({ ...numberSettings, ...flagSettings }).map(([name, setting]) => [name, setting.default]),
) as PipeSettings
