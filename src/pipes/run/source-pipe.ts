import type { AppliedPipe } from '../runtime.ts'
import type { SourcePipe } from '../source.ts'

/** What a pipe's source knows of the pipe. */
export function sourcePipeOf({
  id,
  spec,
  secrets,
}: Pick<AppliedPipe, 'id' | 'spec' | 'secrets'>): SourcePipe {
  const { source, settings, scaling, fieldMappings, resyncCount: resync } = spec
  const fields = fieldMappings.map((each) => each.sourceField)
  return { id, source, secrets, settings, scaling, fields, resync }
}
