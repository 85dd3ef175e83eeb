import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import { checkDestination, checkFieldMappings } from './destination.ts'
import { checkKafka } from './kafka.ts'
import { checkKinesis } from './kinesis.ts'
import { flagSettings, numberSettings, type SourceKind, scalingLimits, sourceKinds } from './limits.ts'
import { checkObjectStorage } from './object-storage.ts'
import { checkPostgres } from './postgres.ts'
import { issue, notAllowed } from './rule.ts'
import { checkSecrets, type SecretPresence } from './secrets.ts'
import type { PipeScaling, PipeSettings, PipeSource, PipeSpec } from './types.ts'

/** Every rule across fields, on a pipe as it would be stored. Both creation and change go through here. */
export function checkPipe(spec: PipeSpec, has: SecretPresence): Issue[] {
  const kind = kindOf(spec.source)
  return [
    ...checkName(spec.name),
    ...under(['source'], [...checkSource(spec.source, has), ...checkSecrets(spec.source, has)]),
    ...checkTarget(spec, kind),
    ...checkScaling(spec.scaling, kind),
    ...checkSettings(spec.settings, kind),
  ]
}

export function kindOf(source: PipeSource): SourceKind {
  const kind = sourceKinds.find((name) => source[name] !== undefined)
  if (kind === undefined) throw new TypeError('a stored source has one kind')
  return kind
}

export function checkName(name: string): Issue[] {
  return name.trim() === '' ? [issue(['name'], 'too_short', 'A name of more than blanks is required.')] : []
}

/** `kind` is undefined when the request names no source or several. */
export function checkTarget(
  { destination, fieldMappings }: Pick<PipeSpec, 'destination' | 'fieldMappings'>,
  kind: SourceKind | undefined,
): Issue[] {
  const issues = under(['destination'], checkDestination(destination, kind))
  if (kind !== 'postgres') return [...issues, ...checkFieldMappings(destination.columns, fieldMappings)]
  if (fieldMappings.length === 0) return issues
  return [...issues, notAllowed(['fieldMappings'], 'Database sources have tableMappings instead.')]
}

/** Database pipes share their workers, so a size of their own is refused; the default may be repeated. */
export function checkScaling(scaling: PipeScaling, kind: SourceKind): Issue[] {
  if (kind !== 'postgres') return []
  return (Object.keys(scalingLimits) as (keyof PipeScaling)[])
    .filter((name) => scaling[name] !== scalingLimits[name].default)
    .map((name) => notAllowed(['scaling', name], 'Pipes of the kind postgres cannot be scaled one by one.'))
}

/** A setting of another kind of source is refused, unless it has the default value that answers show. */
export function checkSettings(settings: PipeSettings, kind: SourceKind): Issue[] {
  const issues: Issue[] = []
  for (const [name, rule] of Object.entries({ ...numberSettings, ...flagSettings })) {
    const kinds: readonly SourceKind[] = rule.kinds
    if (kinds.includes(kind) || settings[name as keyof PipeSettings] === rule.default) continue
    const message = `It is a setting of ${kinds.join(', ')} sources; this pipe reads from ${kind}.`
    issues.push(notAllowed(['settings', name], message))
  }
  return issues
}

function checkSource(source: PipeSource, has: SecretPresence): Issue[] {
  const { kafka, objectStorage, kinesis, postgres } = source
  if (kafka !== undefined) return under(['kafka'], checkKafka(kafka))
  if (objectStorage !== undefined) return under(['objectStorage'], checkObjectStorage(objectStorage, has))
  if (kinesis !== undefined) return under(['kinesis'], checkKinesis(kinesis))
  return postgres === undefined ? [] : under(['postgres'], checkPostgres(postgres))
}
