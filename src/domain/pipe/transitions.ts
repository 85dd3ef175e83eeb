import type { Issue } from '../issue.ts'
import { pipeStates, type SourceKind } from './limits.ts'
import { notAllowed } from './rule.ts'
import { kindOf } from './rules.ts'
import type { PipeCommand, PipeSpec, PipeState, PipeStatus } from './types.ts'

/**
 * What each command does in each state: `same` = the pipe is already so, nothing happens; `refused` = 409;
 * otherwise the state to show at once. The loops bring the pipe from there to its final state: Stopped for
 * streams and files, Paused for databases. The API answers from this table and the console greys its buttons
 * from it.
 */
const table = {
  Provisioning: { start: 'same', stop: 'halt', resync: 'Resync' },
  Setup: { start: 'same', stop: 'halt', resync: 'Resync' },
  Snapshot: { start: 'same', stop: 'halt', resync: 'Resync' },
  Running: { start: 'same', stop: 'halt', resync: 'Resync' },
  Degraded: { start: 'same', stop: 'halt', resync: 'Resync' },
  Stopping: { start: 'Provisioning', stop: 'same', resync: 'Resync' },
  Stopped: { start: 'Provisioning', stop: 'same', resync: 'Resync' },
  Pausing: { start: 'Provisioning', stop: 'same', resync: 'Resync' },
  Paused: { start: 'Provisioning', stop: 'same', resync: 'Resync' },
  Resync: { start: 'same', stop: 'halt', resync: 'refused' },
  Completed: { start: 'refused', stop: 'same', resync: 'Resync' },
  // A failed pipe is still meant to run, so start is a new attempt and changes something.
  Failed: { start: 'Provisioning', stop: 'halt', resync: 'Resync' },
} as const satisfies Record<PipeState, Record<PipeCommand, PipeState | 'same' | 'refused' | 'halt'>>

export type CommandResult =
  | { outcome: 'accepted'; spec: PipeSpec; state: PipeState; reason: string; changed: boolean }
  | { outcome: 'conflict'; message: string; currentState: PipeState; allowedStates: PipeState[] }
  | { outcome: 'invalid'; issues: Issue[] }

/** `changed` is false when the pipe already was as commanded, so nothing needs to be written. */
export function applyCommand(spec: PipeSpec, status: PipeStatus, command: PipeCommand): CommandResult {
  const kind = kindOf(spec.source)
  const issues = command === 'resync' ? resyncIssues(spec) : []
  if (issues.length > 0) return { outcome: 'invalid', issues }
  const step = table[status.state][command]
  if (step === 'refused') {
    const message =
      command === 'start' ? completedText(kind) : 'A resync is under way; wait until it has ended.'
    return { outcome: 'conflict', message, currentState: status.state, allowedStates: statesFor(command) }
  }
  const desired = command === 'stop' ? 'stopped' : 'running'
  if (step === 'same') {
    return { outcome: 'accepted', spec, state: status.state, reason: status.reason, changed: false }
  }
  const resyncCount = command === 'resync' ? spec.resyncCount + 1 : spec.resyncCount
  return {
    outcome: 'accepted',
    spec: { ...spec, desired, resyncCount },
    state: step === 'halt' ? haltingState(kind) : step,
    reason: `${command} was requested`,
    changed: true,
  }
}

/** The states in which a command is accepted, whether or not it then changes anything. */
export function statesFor(command: PipeCommand): PipeState[] {
  return pipeStates.filter((state) => table[state][command] !== 'refused')
}

export const haltingState = (kind: SourceKind): PipeState => (kind === 'postgres' ? 'Pausing' : 'Stopping')
export const haltedState = (kind: SourceKind): PipeState => (kind === 'postgres' ? 'Paused' : 'Stopped')

function resyncIssues({ source }: PipeSpec): Issue[] {
  if (source.postgres === undefined) {
    return [notAllowed(['command'], 'Only pipes of the kind postgres can be resynced.')]
  }
  if (source.postgres.settings.replicationMode !== 'cdc_only') return []
  // Without a first load, a resync would empty the tables and fill them with later changes only.
  return [notAllowed(['command'], 'A pipe with the replicationMode cdc_only has no first load to repeat.')]
}

function completedText(kind: SourceKind): string {
  return kind === 'postgres'
    ? 'The pipe has loaded everything; use resync to load it again.'
    : 'The pipe has loaded everything; make a new pipe to load it again, or a continuous one for what comes later.'
}
