import type { TestContext } from 'node:test'
import type { KinesisInput } from '../../../src/domain/pipe/input.ts'
import { resolveKinesis } from '../../../src/domain/pipe/kinesis.ts'
import type { PipeScaling, PipeSettings } from '../../../src/domain/pipe/types.ts'
import { createKinesisSource } from '../../../src/pipes/kinesis/kinesis-source.ts'
import type { Pauses } from '../../../src/pipes/kinesis/read.ts'
import type { SourceKind, SourcePipe } from '../../../src/pipes/source.ts'
import { createFakeRuntime, type FakeRuntime } from '../pipes/fake-read-task.ts'
import { anywhere, defaultSettings, type Reading } from '../pipes/kafka-rig.ts'
import { kinesisKeys } from './kinesis-server.ts'

export interface KinesisRig {
  source: SourceKind
  runtime: FakeRuntime
  pipe: SourcePipe
  /** Begins to read. The reading ends with the test, or when `stop` is called. */
  read(options?: Parameters<FakeRuntime['task']>[0]): Reading
}

export interface RigOptions {
  input?: Partial<KinesisInput>
  fields?: string[]
  scaling?: Partial<PipeScaling>
  settings?: Partial<PipeSettings>
  pauses?: Partial<Pauses>
  registryUrl?: string
}

/** Longer ones than a test needs: on a busy machine its server answers one request after the other. */
export const quickPauses: Pauses = {
  ...{ refreshMs: 500, leaseAgainMs: 50, busyMs: 5, idleMs: 100, subscribeMs: 50 },
  retry: { baseMs: 1, maxMs: 20 },
}

/** A pipe on a stream, and the runtime's side in memory. The SDK finds the server by AWS_ENDPOINT_URL_KINESIS. */
export function createKinesisRig(t: TestContext, streamName: string, options: RigOptions = {}): KinesisRig {
  const pipe = kinesisPipe({ streamName, ...options.input }, options)
  const readings: Reading[] = []
  t.after(() => Promise.allSettled(readings.map((reading) => reading.stop())))
  const runtime = createFakeRuntime(pipe)
  const { registryUrl = '' } = options
  const pauses = { ...quickPauses, ...options.pauses }
  const source = createKinesisSource({ egress: anywhere, registryUrl, pauses })
  return {
    ...{ source, runtime, pipe },
    read(given) {
      const task = runtime.task(given)
      const ended = source.read(task)
      // A test that waits for records of a reading that failed would wait for ever.
      ended.catch((error: Error) => runtime.fail(error))
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

export function kinesisPipe(input: Partial<KinesisInput>, options: RigOptions = {}): SourcePipe {
  const { source, secrets } = resolveKinesis({ region: 'us-east-1', accessKey: kinesisKeys, ...input })
  return {
    ...{ id: '6f1a', source: { kinesis: source }, secrets, fields: options.fields ?? [] },
    settings: { ...defaultSettings, streaming_max_insert_wait_ms: 30, ...options.settings },
    scaling: {
      ...{ replicas: 1, concurrency: 0, replicaCpuMillicores: 1000, replicaMemoryGb: 1 },
      ...options.scaling,
    },
  }
}
