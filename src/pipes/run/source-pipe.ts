import type { AppliedPipe } from '../runtime.ts'
import type { SourcePipe } from '../source.ts'

/** What a pipe's source knows of the pipe. */
export function sourcePipeOf({
  id,
  spec,
  secrets,
}: Pick<AppliedPipe, 'id' | 'spec' | 'secrets'>): SourcePipe {
  const { source, settings, scaling, fieldMappings } = spec
  return { id, source, secrets, settings, scaling, fields: fieldMappings.map((each) => each.sourceField) }
}
