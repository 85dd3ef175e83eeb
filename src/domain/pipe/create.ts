import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import { resolveDestination } from './destination.ts'
import type { DiscoveryInput, PipeCreateInput, ScalingInput, SettingsInput, SourceInput } from './input.ts'
import { resolveKafka } from './kafka.ts'
import { resolveKinesis } from './kinesis.ts'
import { flagSettings, numberSettings, scalingLimits, sourceKinds } from './limits.ts'
import { resolveObjectStorage } from './object-storage.ts'
import { resolvePostgres } from './postgres.ts'
import { issue } from './rule.ts'
import { checkName, checkPipe, checkTarget } from './rules.ts'
import { secretPresence } from './secrets.ts'
import type { PipeScaling, PipeSecrets, PipeSettings, PipeSource, PipeSpec, Planned } from './types.ts'

/** Turns a request into what is stored: a spec with every default filled in, and the secrets apart from it. */
export function planCreate(body: PipeCreateInput): Planned<{ spec: PipeSpec; secrets: PipeSecrets }> {
  const destination = resolveDestination(body.destination)
  const fieldMappings = body.fieldMappings ?? []
  const resolved = resolveSource(body.source)
  if (resolved === undefined) {
    const message = `Exactly one of ${sourceKinds.join(', ')} is required.`
    const issues = [...checkName(body.name), issue(['source'], 'invalid_value', message)]
    return { ok: false, issues: [...issues, ...checkTarget({ destination, fieldMappings }, undefined)] }
  }
  const { source, secrets } = resolved
  const spec: PipeSpec = {
    name: body.name,
    source,
    destination,
    fieldMappings,
    scaling: mergeScaling(defaultScaling, body.scaling),
    settings: mergeSettings(defaultSettings, body.settings),
    writeOnly: {
      roles: body.destination.roles ?? [],
      validateSamples: body.source.validateSamples ?? false,
    },
    desired: 'running',
    resyncCount: 0,
  }
  const issues = joinIssues(under(['source'], resolved.issues), checkPipe(spec, secretPresence(secrets)))
  return issues.length > 0 ? { ok: false, issues } : { ok: true, plan: { spec, secrets } }
}

/** A source, with the defaults of a pipe around it. Where nothing is mapped, the spec has no mappings. */
export function planDiscovery({
  source,
  destination,
  fieldMappings,
}: DiscoveryInput): Planned<{ spec: PipeSpec; secrets: PipeSecrets }> {
  const name = 'discovery'
  if ((destination ?? fieldMappings) !== undefined) {
    const table = source.postgres === undefined ? { table: name } : {}
    return planCreate({
      name,
      source,
      destination: { ...table, ...destination },
      fieldMappings: fieldMappings ?? [],
    })
  }
  const mapping = { sourceField: 'field', destinationField: 'field' }
  const target = {
    destination: { table: name, columns: [{ name: mapping.destinationField, type: 'String' }] },
    fieldMappings: [mapping],
  }
  const planned = planCreate({
    ...{ name, source },
    ...(source.postgres === undefined ? target : { destination: {} }),
  })
  if (!planned.ok) return planned
  return { ok: true, plan: { ...planned.plan, spec: { ...planned.plan.spec, fieldMappings: [] } } }
}

export const defaultScaling: PipeScaling = {
  replicas: scalingLimits.replicas.default,
  concurrency: scalingLimits.concurrency.default,
  replicaCpuMillicores: scalingLimits.replicaCpuMillicores.default,
  replicaMemoryGb: scalingLimits.replicaMemoryGb.default,
}

export const defaultSettings = Object.fromEntries(
  Object.entries({ ...numberSettings, ...flagSettings }).map(([name, rule]) => [name, rule.default]),
) as PipeSettings

export function mergeScaling(current: PipeScaling, sent: ScalingInput = {}): PipeScaling {
  return { ...current, ...sent }
}

/** An absent setting keeps its value; null resets it to the default. */
export function mergeSettings(current: PipeSettings, sent: SettingsInput = {}): PipeSettings {
  const entries = Object.entries(sent).map(([name, value]) => [
    name,
    value ?? defaultSettings[name as keyof PipeSettings],
  ])
  return { ...current, ...Object.fromEntries(entries) }
}

/** "Required" is not repeated for a part whose own fields already have issues. */
export function joinIssues(first: readonly Issue[], then: readonly Issue[]): Issue[] {
  const covered = (path: Issue['path']): boolean =>
    first.some((known) => path.every((part, index) => known.path[index] === part))
  return [...first, ...then.filter((item) => item.code !== 'required' || !covered(item.path))]
}

interface Resolved {
  source: PipeSource
  secrets: PipeSecrets
  issues: Issue[]
}

function resolveSource(input: SourceInput): Resolved | undefined {
  if (sourceKinds.filter((kind) => input[kind] !== undefined).length !== 1) return undefined
  const { kafka, objectStorage, kinesis, postgres } = input
  const placed = (kind: string, { source, secrets, issues }: Part): Resolved => ({
    source: { [kind]: source },
    secrets,
    issues: under([kind], issues),
  })
  if (kafka !== undefined) return placed('kafka', resolveKafka(kafka))
  if (objectStorage !== undefined) return placed('objectStorage', resolveObjectStorage(objectStorage))
  if (kinesis !== undefined) return placed('kinesis', resolveKinesis(kinesis))
  return postgres === undefined ? undefined : placed('postgres', resolvePostgres(postgres))
}

interface Part {
  source: PipeSource[keyof PipeSource]
  secrets: PipeSecrets
  issues: Issue[]
}
