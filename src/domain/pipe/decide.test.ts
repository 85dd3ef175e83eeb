import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { kafkaBody, planned, postgresBody } from '../../../test/support/pipe-bodies.ts'
import { serviceStates } from '../service/types.ts'
import { planCreate } from './create.ts'
import { decidePipe, type PipeObservation, type PipeSituation } from './decide.ts'
import { pipeStates } from './limits.ts'
import { applyCommand } from './transitions.ts'
import type { PipeState } from './types.ts'

const kafka = planned(planCreate(kafkaBody())).spec
const postgres = planned(planCreate(postgresBody())).spec

type Seen = Extract<PipeObservation, { known: true }>['state']
const observations: Seen[] = [
  'absent',
  'setup',
  'snapshot',
  'running',
  'degraded',
  'stopping',
  'stopped',
  'completed',
  'failed',
]
const saw = (state: Seen, generation = 2): PipeObservation => ({
  known: true,
  state,
  generation,
  reason: 'seen',
})

function decide(over: Partial<PipeSituation> & { shown?: PipeState; stopped?: boolean } = {}) {
  const { shown = 'Provisioning', stopped = false, spec = kafka, ...rest } = over
  const { action, state, reason } = decidePipe({
    generation: 2,
    deleting: false,
    status: { state: shown, reason: '', since: 0, observedGeneration: 1 },
    serviceState: 'running',
    observed: saw('absent'),
    ...rest,
    spec: stopped ? { ...spec, desired: 'stopped' } : spec,
  })
  return { line: `${action} ${state}`, reason }
}
const line = (over: Parameters<typeof decide>[0]) => decide(over).line

test('without a runtime a pipe waits and says why, or rests', () => {
  const waiting = decide({ observed: 'no-runtime' })
  assert.equal(waiting.line, 'none Provisioning')
  assert.match(waiting.reason, /no engine runs here/)
  assert.equal(line({ observed: 'no-runtime', stopped: true }), 'none Stopped')
  assert.equal(line({ observed: 'no-runtime', stopped: true, spec: postgres }), 'none Paused')
  assert.equal(line({ observed: 'no-runtime', deleting: true }), 'none Stopped')
})

test('a stream comes up, runs, and shows what its runtime says', () => {
  assert.equal(line({ observed: saw('absent', 0) }), 'apply Provisioning')
  assert.equal(line({ observed: saw('setup') }), 'wait Provisioning')
  assert.equal(line({ observed: saw('running') }), 'none Running')
  assert.deepEqual(decide({ observed: saw('degraded') }), { line: 'none Degraded', reason: 'seen' })
  assert.deepEqual(decide({ observed: saw('failed') }), { line: 'none Failed', reason: 'seen' })
  assert.equal(line({ observed: saw('completed') }), 'none Completed')
  assert.equal(line({ observed: saw('stopped') }), 'apply Provisioning')
})

test('a database shows its steps, and a resync until it has ended', () => {
  assert.equal(line({ spec: postgres, observed: saw('setup') }), 'wait Setup')
  assert.equal(line({ spec: postgres, observed: saw('snapshot') }), 'wait Snapshot')
  const shown = 'Resync'
  assert.equal(line({ spec: postgres, shown, observed: saw('running', 1) }), 'apply Resync')
  assert.equal(line({ spec: postgres, shown, observed: saw('completed', 1) }), 'apply Resync')
  assert.equal(line({ spec: postgres, shown, observed: saw('snapshot') }), 'wait Resync')
  assert.equal(line({ spec: postgres, shown, observed: saw('running') }), 'none Running')
})

test('a newer spec is handed over without a change of state', () => {
  assert.equal(line({ shown: 'Running', observed: saw('running', 1) }), 'apply Running')
  assert.equal(line({ shown: 'Completed', observed: saw('completed', 1) }), 'apply Completed')
  assert.equal(line({ shown: 'Failed', observed: saw('failed', 1) }), 'apply Provisioning')
})

test('stopping ends in the rest of the kind', () => {
  assert.equal(line({ stopped: true, observed: saw('running', 1) }), 'apply Stopping')
  assert.equal(line({ stopped: true, spec: postgres, observed: saw('snapshot') }), 'apply Pausing')
  assert.equal(line({ stopped: true, observed: saw('stopping') }), 'wait Stopping')
  assert.equal(line({ stopped: true, observed: saw('stopped') }), 'none Stopped')
  assert.equal(line({ stopped: true, spec: postgres, observed: saw('absent') }), 'none Paused')
  assert.deepEqual(decide({ stopped: true, observed: saw('failed') }), {
    line: 'none Stopped',
    reason: 'seen',
  })
  assert.equal(line({ stopped: true, observed: saw('completed') }), 'none Completed')
  assert.equal(line({ observed: saw('stopping') }), 'wait Provisioning')
})

test('a pipe works on an idle service and waits for one that does not run', () => {
  for (const serviceState of ['idle', 'awaking', 'degraded', 'partially_running'] as const) {
    assert.equal(line({ serviceState }), 'apply Provisioning', serviceState)
  }
  const stopped = decide({ serviceState: 'stopped', observed: saw('running') })
  assert.equal(stopped.line, 'wait Degraded')
  assert.match(stopped.reason, /stopped/)
  assert.equal(line({ serviceState: 'provisioning' }), 'wait Provisioning')
  assert.equal(line({ serviceState: 'stopped', observed: saw('completed') }), 'none Completed')
})

test('what is not known is not guessed', () => {
  for (const shown of pipeStates) {
    const observed = { known: false } as const
    assert.equal(line({ shown, observed }), `wait ${shown}`)
    assert.equal(line({ shown, observed, stopped: true }), `wait ${shown}`)
    assert.equal(line({ shown, observed, deleting: true }), `wait ${shown}`)
  }
})

test('deletion ends when nothing is left, whatever was wished', () => {
  for (const stopped of [true, false]) {
    assert.equal(line({ deleting: true, stopped, observed: saw('running') }), 'destroy Stopping')
    assert.equal(line({ deleting: true, stopped, observed: saw('failed') }), 'destroy Stopping')
    assert.equal(line({ deleting: true, stopped, observed: saw('stopping') }), 'wait Stopping')
    assert.equal(line({ deleting: true, stopped, observed: saw('absent') }), 'none Stopped')
  }
})

test('a decision taken again from its own state is the same: nothing flaps', () => {
  const spec = fc.constantFrom(kafka, postgres)
  const observed = fc.tuple(fc.constantFrom(...observations), fc.integer({ min: 0, max: 2 }))
  const shown = fc.constantFrom(...pipeStates)
  const service = fc.constantFrom(...serviceStates)
  fc.assert(
    fc.property(
      spec,
      observed,
      shown,
      service,
      fc.boolean(),
      (which, [state, generation], from, serviceState, stopped) => {
        const situation = { spec: which, observed: saw(state, generation), serviceState, stopped }
        const first = decide({ ...situation, shown: from })
        const next = first.line.split(' ')[1] as PipeState
        assert.equal(decide({ ...situation, shown: next }).line, first.line)
      },
    ),
  )
})

test('from any command a runtime that obeys reaches the wish', () => {
  const commands = ['start', 'stop', 'resync'] as const
  for (const spec of [kafka, postgres]) {
    for (const from of pipeStates) {
      for (const command of commands) {
        const result = applyCommand(
          spec,
          { state: from, reason: '', since: 0, observedGeneration: 1 },
          command,
        )
        if (result.outcome !== 'accepted' || !result.changed) continue
        const stopped = result.spec.desired === 'stopped'
        const settled = {
          spec: result.spec,
          shown: result.state,
          observed: saw(stopped ? 'stopped' : 'running'),
        }
        const rest = spec === postgres ? 'Paused' : 'Stopped'
        assert.equal(line(settled), `none ${stopped ? rest : 'Running'}`)
      }
    }
  }
})
