import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  kafkaBody,
  kinesisBody,
  planned,
  postgresBody,
  storageBody,
} from '../../../test/support/pipe-bodies.ts'
import { planCreate } from './create.ts'
import { pipeCommands, pipeStates } from './limits.ts'
import { applyCommand, statesFor } from './transitions.ts'
import type { PipeSpec, PipeState, PipeStatus } from './types.ts'

const specs = [kafkaBody(), storageBody(), kinesisBody(), postgresBody()].map(
  (body) => planned(planCreate(body)).spec,
)
const [kafka, storage, , postgres] = specs as [PipeSpec, PipeSpec, PipeSpec, PipeSpec]
const at = (state: PipeState): PipeStatus => ({ state, reason: 'before', since: 0, observedGeneration: 1 })
const stateAfter = (spec: PipeSpec, state: PipeState, command: 'start' | 'stop' | 'resync') => {
  const result = applyCommand(spec, at(state), command)
  return result.outcome === 'accepted' ? result.state : result.outcome
}

test('a command repeated at once changes nothing more', () => {
  const spec = fc.constantFrom(...specs)
  const desired = fc.constantFrom('running', 'stopped')
  const state = fc.constantFrom(...pipeStates)
  fc.assert(
    fc.property(spec, desired, state, fc.constantFrom('start', 'stop'), (which, wish, from, command) => {
      const first = applyCommand({ ...which, desired: wish }, at(from), command)
      if (first.outcome !== 'accepted') return
      const again = applyCommand(first.spec, { ...at(first.state), reason: first.reason }, command)
      assert.deepEqual(again, { ...first, changed: false })
    }),
  )
})

test('what is accepted leaves a spec that agrees with the state shown', () => {
  const state = fc.constantFrom(...pipeStates)
  fc.assert(
    fc.property(fc.constantFrom(...specs), state, fc.constantFrom(...pipeCommands), (spec, from, command) => {
      const result = applyCommand(spec, at(from), command)
      if (result.outcome !== 'accepted' || !result.changed) return
      const halting = ['Stopping', 'Pausing'].includes(result.state)
      assert.equal(result.spec.desired, halting ? 'stopped' : 'running')
      assert.equal(result.reason, `${command} was requested`)
    }),
  )
})

test('streams and files stop, databases pause', () => {
  assert.equal(stateAfter(kafka, 'Running', 'stop'), 'Stopping')
  assert.equal(stateAfter(storage, 'Degraded', 'stop'), 'Stopping')
  assert.equal(stateAfter(postgres, 'Snapshot', 'stop'), 'Pausing')
})

test('start leads out of every rest, a failure included', () => {
  for (const state of ['Stopping', 'Stopped', 'Pausing', 'Paused', 'Failed'] as const) {
    assert.equal(stateAfter(postgres, state, 'start'), 'Provisioning', state)
  }
  const running = applyCommand(kafka, at('Running'), 'start')
  assert.deepEqual(running, {
    outcome: 'accepted',
    spec: kafka,
    state: 'Running',
    reason: 'before',
    changed: false,
  })
})

test('a completed pipe is not started; the answer says what to do instead', () => {
  for (const [spec, hint] of [
    [storage, /new pipe/],
    [postgres, /resync/],
  ] as const) {
    const result = applyCommand(spec, at('Completed'), 'start')
    assert.equal(result.outcome, 'conflict')
    if (result.outcome !== 'conflict') return
    assert.match(result.message, hint)
    assert.equal(result.currentState, 'Completed')
    assert.deepEqual(
      result.allowedStates,
      pipeStates.filter((state) => state !== 'Completed'),
    )
  }
  assert.equal(stateAfter(storage, 'Completed', 'stop'), 'Completed')
})

test('resync is for databases, counts, and runs one at a time', () => {
  for (const state of statesFor('resync')) {
    const result = applyCommand({ ...postgres, desired: 'stopped' }, at(state), 'resync')
    assert.ok(result.outcome === 'accepted', state)
    assert.deepEqual([result.state, result.spec.desired, result.spec.resyncCount], ['Resync', 'running', 1])
  }
  assert.equal(stateAfter(postgres, 'Resync', 'resync'), 'conflict')
  assert.deepEqual(
    pipeStates.filter((state) => !statesFor('resync').includes(state)),
    ['Resync'],
  )
})

test('resync of other kinds, or without a first load, is a wrong request', () => {
  const cdcOnly = planned(planCreate(postgresBody({ settings: { replicationMode: 'cdc_only' } }))).spec
  for (const spec of [...specs.slice(0, 3), cdcOnly]) {
    const result = applyCommand(spec, at('Running'), 'resync')
    assert.ok(result.outcome === 'invalid')
    assert.deepEqual(
      result.issues.map((issue) => issue.path),
      [['command']],
    )
  }
})
