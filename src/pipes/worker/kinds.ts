import type { SourceKind } from '../source.ts'
import type { PipeWorkerSpec } from '../worker-protocol.ts'

/** Loads only the kind of source that this worker reads. */
export async function loadKind({ source }: PipeWorkerSpec): Promise<SourceKind> {
  const load = kinds[source]
  if (load) return load()
  // Tests have kinds of their own.
  if (source.startsWith('file:')) return ((await import(source)) as { sourceKind: SourceKind }).sourceKind
  throw new Error(`there is no source of the kind ${source}`)
}

const kinds: Record<string, () => Promise<SourceKind>> = {}
