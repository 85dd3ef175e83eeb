import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import { joinIssues, mergeScaling, mergeSettings } from './create.ts'
import type { DestinationInput, PipePatchInput, ScalingInput, SettingsInput } from './input.ts'
import { changeSource, overlay } from './patch-source.ts'
import { checkPipe, checkScaling, checkSettings, kindOf } from './rules.ts'
import { sameValue } from './same.ts'
import type { SecretPresence, SecretsPatch } from './secrets.ts'
import { formOf } from './secrets.ts'
import type { PipeSpec, Planned } from './types.ts'

export interface PatchPlan {
  spec: PipeSpec
  /** To be merged into the stored secrets with `mergeSecrets`. */
  secrets: SecretsPatch
  /** False when the request repeats what is stored, so nothing needs to be written. */
  changed: boolean
}

/** Merges a request into a stored pipe; secrets that are not sent stay in force. */
export function planPatch(current: PipeSpec, has: SecretPresence, body: PipePatchInput): Planned<PatchPlan> {
  const { source, secrets, issues: sourceIssues } = changeSource(current.source, has, body.source ?? {})
  const { destination, issues: destinationIssues } = changeDestination(current, body.destination ?? {})
  const spec: PipeSpec = {
    ...current,
    name: body.name ?? current.name,
    source,
    destination,
    fieldMappings: body.fieldMappings ?? current.fieldMappings,
    scaling: mergeScaling(current.scaling, body.scaling),
    settings: mergeSettings(current.settings, body.settings),
    writeOnly: {
      roles: current.writeOnly.roles,
      validateSamples: body.source?.validateSamples ?? current.writeOnly.validateSamples,
    },
  }
  const wrong = [...under(['source'], sourceIssues), ...under(['destination'], destinationIssues)]
  const issues = joinIssues(wrong, checkPipe(spec, presenceAfter(has, secrets)))
  if (issues.length > 0) return { ok: false, issues }
  const changed = Object.keys(secrets).length > 0 || !sameValue(current, spec)
  return { ok: true, plan: { spec, secrets, changed } }
}

/** Settings that are not sent keep their value; null resets one to the default. */
export function planSettings(current: PipeSpec, body: SettingsInput): Planned<PipeSpec> {
  const settings = mergeSettings(current.settings, body)
  const issues = checkSettings(settings, kindOf(current.source)).map(atRoot)
  return issues.length > 0 ? { ok: false, issues } : { ok: true, plan: { ...current, settings } }
}

export function planScaling(current: PipeSpec, body: ScalingInput): Planned<PipeSpec> {
  const scaling = mergeScaling(current.scaling, body)
  const issues = checkScaling(scaling, kindOf(current.source)).map(atRoot)
  return issues.length > 0 ? { ok: false, issues } : { ok: true, plan: { ...current, scaling } }
}

/** In these bodies the settings are the root, not a member, so their paths lose the first name. */
const atRoot = (item: Issue): Issue => ({ ...item, path: item.path.slice(1) })

/**
 * Only the columns can change, because they are what the pipe writes; the pipe never alters the table itself.
 */
function changeDestination(
  { destination: current, writeOnly }: PipeSpec,
  { roles, ...sent }: DestinationInput,
): { destination: PipeSpec['destination']; issues: Issue[] } {
  const destination = structuredClone(current)
  const issues = overlay(destination as unknown as Record<string, unknown>, sent, [], ['columns'])
  if (roles !== undefined && !sameValue(roles, writeOnly.roles)) {
    issues.push({ path: ['roles'], code: 'immutable', message: 'They are granted at creation only.' })
  }
  return { destination, issues }
}

function presenceAfter(has: SecretPresence, change: SecretsPatch): SecretPresence {
  const after = { ...has }
  for (const name of [
    'schemaRegistryCredentials',
    'accessKey',
    'connectionString',
    'serviceAccountKey',
  ] as const) {
    const value = change[name]
    if (value !== undefined) after[name] = value !== null
  }
  if (change.credentials !== undefined) {
    after.credentials = change.credentials === null ? null : formOf(change.credentials)
  }
  return after
}
