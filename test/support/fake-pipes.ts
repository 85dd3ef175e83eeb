import type { PipeObservation } from '../../src/domain/pipe/decide.ts'
import type { AppliedPipe, PipeRuntime } from '../../src/pipes/runtime.ts'

type Known = Extract<PipeObservation, { known: true }>

/** A fake runtime on the real port: an applied pipe runs at once, until a test says otherwise. */
export interface FakePipes extends PipeRuntime {
  applied: AppliedPipe[]
  destroyed: string[]
  knows: boolean
  isClosed: boolean
  /** The state of a pipe that is applied and should run. */
  outcome: Pick<Known, 'state' | 'reason'>
  /** Runs before a call is carried out, and may throw or wait. */
  before(call: 'apply' | 'observe' | 'destroy'): Promise<void> | void
  /** A pipe changes by itself; listeners get a hint unless it is `lost`. */
  become(id: string, outcome: Pick<Known, 'state' | 'reason'>, hint?: 'lost'): void
}

export function createFakePipes(): FakePipes {
  const running = new Map<string, Known>()
  const listeners = new Set<(id: string) => void>()
  const runtime: FakePipes = {
    applied: [],
    destroyed: [],
    knows: true,
    isClosed: false,
    outcome: { state: 'running', reason: 'reading' },
    before: () => undefined,
    lanes: () => [],
    become(id, outcome, hint) {
      const { generation } = running.get(id) ?? { generation: 0 }
      running.set(id, { known: true, generation, ...outcome })
      if (hint !== 'lost') for (const listener of listeners) listener(id)
    },
    async apply(pipe) {
      await runtime.before('apply')
      runtime.applied.push(pipe)
      const { outcome } = runtime
      const end = pipe.spec.desired === 'running' ? outcome : { state: 'stopped' as const, reason: '' }
      running.set(pipe.id, { known: true, generation: pipe.generation, ...end })
    },
    async observe(id) {
      await runtime.before('observe')
      if (!runtime.knows) return { known: false }
      return running.get(id) ?? { known: true, state: 'absent', generation: 0, reason: '' }
    },
    status(id) {
      if (running.get(id)?.state !== 'running') return null
      const rates = { rowsPerSecond: 0, bytesPerSecond: 0 }
      const lag = { records: 0, ms: 0 }
      return {
        phase: 'streaming',
        rows: 0,
        bytes: 0,
        ...rates,
        lag,
        lastError: null,
        delivery: 'exactly_once',
        rejected: 0,
        waiting: '',
        facts: {},
      }
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async destroy(id) {
      await runtime.before('destroy')
      runtime.destroyed.push(id)
      running.delete(id)
    },
    check: async () => ({ ok: true, sample: null }),
    async close() {
      runtime.isClosed = true
      listeners.clear()
    },
  }
  return runtime
}
