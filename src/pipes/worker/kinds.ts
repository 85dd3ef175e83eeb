import { join } from 'node:path'
import { systemClock } from '../../lib/clock.ts'
import { sourceEgress } from '../egress.ts'
import type { SourceKind } from '../source.ts'
import type { PipeWorkerSpec } from '../worker-protocol.ts'

/** Loads only the kind of source that this worker reads. */
export async function loadKind(spec: PipeWorkerSpec): Promise<SourceKind> {
  const { source } = spec
  const load = kinds[source]
  if (load) return load(spec)
  // Tests have kinds of their own.
  if (source.startsWith('file:')) return ((await import(source)) as { sourceKind: SourceKind }).sourceKind
  throw new Error(`there is no source of the kind ${source}`)
}

const kinds: Record<string, (spec: PipeWorkerSpec) => Promise<SourceKind>> = {
  async kafka({ egress: list }) {
    const { createKafkaSource } = await import('../kafka/kafka-source.ts')
    return createKafkaSource({ egress: sourceEgress(list) })
  },
  async kinesis({ egress: list }) {
    const { createKinesisSource } = await import('../kinesis/kinesis-source.ts')
    // biome-ignore lint/style/noProcessEnv: it may hold a password, and the worker's file holds no secrets.
    const registryUrl = process.env['GRANARY_KINESIS_SCHEMA_REGISTRY'] ?? ''
    return createKinesisSource({ egress: sourceEgress(list), registryUrl })
  },
  async objectStorage({ egress: list, folders: fileRoots }) {
    const { createObjectStorage } = await import('../object-storage/object-storage.ts')
    return createObjectStorage({ clock: systemClock, egress: sourceEgress(list), fileRoots })
  },
  async postgres({ workDir }) {
    const { createPostgresSource } = await import('../postgres/postgres-source.ts')
    return createPostgresSource({ folder: join(workDir, 'transactions') })
  },
}
