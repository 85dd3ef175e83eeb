import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyCommand, isAllowed, serviceActions, serviceCommands } from './transitions.ts'
import { type ServiceSpec, type ServiceState, type ServiceStatus, serviceStates } from './types.ts'

const spec = (power: 'on' | 'off') => ({ power }) as ServiceSpec
const status = (state: ServiceState, provisioned = true) =>
  ({ state, provisioned, reason: 'before', sinceMs: 1 }) as ServiceStatus

test('only a stopped or failed service is deleted; all but a terminating one take everything else', () => {
  for (const state of serviceStates) {
    assert.equal(isAllowed('delete', state), state === 'stopped' || state === 'failed', state)
    for (const action of ['start', 'stop', 'change'] as const)
      assert.equal(isAllowed(action, state), state !== 'terminating', `${action} in ${state}`)
  }
  for (const states of Object.values(serviceActions)) assert.equal(new Set(states).size, states.length)
})

test('a command whose wish is already true changes nothing', () => {
  for (const state of ['running', 'idle', 'starting', 'provisioning', 'degraded'] as const)
    assert.equal(applyCommand('start', spec('on'), status(state), 5), null)
  for (const state of ['stopped', 'stopping', 'failed'] as const)
    assert.equal(applyCommand('stop', spec('off'), status(state), 5), null)
})

test('otherwise it shows at once what follows, and since when', () => {
  for (const command of serviceCommands) {
    const next = applyCommand(command, spec(command === 'start' ? 'off' : 'on'), status('running'), 5)
    assert.equal(next?.spec.power, command === 'start' ? 'on' : 'off')
    assert.equal(next?.status.state, command === 'start' ? 'starting' : 'stopping')
    assert.equal(next?.status.reason, `${command} was requested`)
    assert.equal(next?.status.sinceMs, 5)
  }
  assert.equal(applyCommand('start', spec('off'), status('stopped', false), 5)?.status.state, 'provisioning')
})

test('a failed service that should run can be started anew', () => {
  assert.equal(applyCommand('start', spec('on'), status('failed'), 5)?.status.state, 'starting')
})

test('neither the spec nor the status that went in is changed', () => {
  const before = { spec: Object.freeze(spec('on')), status: Object.freeze(status('running')) }
  const next = applyCommand('stop', before.spec, before.status, 5)
  assert.notEqual(next?.spec, before.spec)
  assert.equal(before.status.state, 'running')
})
