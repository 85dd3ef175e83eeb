import {
  type DemoKept,
  type DemoProgress,
  type DemoRecord,
  type DemoState,
  type DemoStep,
  demoSteps,
} from './types.ts'

export interface DemoView {
  state: DemoState
  step: DemoStep | null
  steps: {
    name: DemoStep
    state: 'pending' | 'running' | 'done' | 'failed'
    done: number
    total: number
    unit: string
  }[]
  serviceId: string | null
  dashboardId: string | null
  pipeId: string | null
  error: string | null
  kept: DemoKept[]
}

const units: Record<DemoStep, string> = {
  service: 'services',
  data: 'rows',
  pipe: 'rows',
  dashboard: 'tiles',
  alert: 'alerts',
}

/** `missing` says what of a complete demo is gone; null = all that it needs is there. */
export function viewDemo(
  record: DemoRecord | null,
  progress: DemoProgress | null,
  missing: string | null = null,
): DemoView {
  const state = stateOf(record, missing)
  const step = state === 'starting' ? (progress?.step ?? 'service') : stepOf(record, state)
  const ids = state === 'absent' ? null : (record?.ids ?? null)
  return {
    state,
    step,
    steps: demoSteps.map((name) => {
      const count = progress?.counts[name] ?? { done: 0, total: name === 'data' ? (record?.rows ?? 0) : 0 }
      const told = { name, unit: units[name] }
      if (record?.isComplete && state !== 'absent')
        return { ...told, state: 'done', done: count.total, total: count.total }
      const at = step === null ? -1 : demoSteps.indexOf(name) - demoSteps.indexOf(step)
      if (step === null || at > 0) return { ...told, state: 'pending', ...count }
      if (at < 0) return { ...told, state: 'done', done: count.total, total: count.total }
      return { ...told, state: state === 'failed' ? 'failed' : 'running', ...count }
    }),
    serviceId: ids?.service ?? null,
    dashboardId: ids?.dashboard ?? null,
    pipeId: ids?.requestsPipe ?? null,
    error: state === 'absent' ? null : (missing ?? record?.error?.message ?? null),
    kept: record?.kept ?? [],
  }
}

function stateOf(record: DemoRecord | null, missing: string | null): DemoState {
  if (record === null || record.kept.length > 0) return 'absent'
  if (record.wanted === 'absent') return 'removing'
  if (record.error !== null || missing !== null) return 'failed'
  return record.isComplete ? 'running' : 'starting'
}

function stepOf(record: DemoRecord | null, state: DemoState): DemoStep | null {
  const step = record?.error?.step
  return state === 'failed' && step !== undefined && step !== 'remove' ? step : null
}
