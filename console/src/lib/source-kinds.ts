import type { Result } from '../api/operations.ts'
import type { IconName } from '../kit/icon-shapes.ts'

export type SourceKind = 'kafka' | 'objectStorage' | 'kinesis' | 'postgres'

/** The kinds of pipe sources, as the console names and draws them. */
export const sourceKinds: Record<SourceKind, { name: string; icon: IconName }> = {
  kafka: { name: 'Kafka', icon: 'kafka' },
  objectStorage: { name: 'Object storage', icon: 'bucket' },
  kinesis: { name: 'Kinesis', icon: 'kinesis' },
  postgres: { name: 'Postgres', icon: 'database' },
}

/** The one field of a pipe's source that is filled. */
export function sourceKindOf(source: Result<'pipes.get'>['source']): SourceKind {
  const kinds = Object.keys(sourceKinds) as SourceKind[]
  const fields = source as Partial<Record<SourceKind, unknown>>
  return kinds.find((kind) => fields[kind] !== undefined && fields[kind] !== null) ?? 'kafka'
}
