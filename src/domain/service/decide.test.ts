import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { serviceOf } from '../../../test/support/store-records.ts'
import { decideService, type ObservedService, type ServiceDecision } from './decide.ts'
import { type ServiceSpec, type ServiceStatus, serviceStates } from './types.ts'

const { spec: plainSpec, status: plainStatus } = serviceOf('')

const absent: ObservedService = {
  acceptedGeneration: 0,
  settledGeneration: 0,
  power: 'absent',
  replicas: [],
  problem: null,
  progress: '',
}
const up = (serving: number, over: Partial<ObservedService> = {}): ObservedService => ({
  ...absent,
  acceptedGeneration: 3,
  settledGeneration: 3,
  power: 'on',
  replicas: [...Array(serving).fill({ canRead: true }), { canRead: false }],
  ...over,
})
const retryable = { message: 'disk is slow', retryable: true }
const final = { message: 'disk is gone', retryable: false }

interface Case {
  name: string
  spec?: Partial<ServiceSpec>
  status?: Partial<ServiceStatus>
  observed: ObservedService
  wanted: [ServiceDecision['action'], ServiceDecision['state'], RegExp]
}

// In every case the generation is 3 and two replicas are wanted.
const cases: Case[] = [
  { name: 'new', observed: absent, wanted: ['apply', 'provisioning', /handed to the engine/] },
  {
    name: 'accepted, and nothing to see yet',
    observed: { ...absent, acceptedGeneration: 3 },
    wanted: ['wait', 'provisioning', /replicas are starting/],
  },
  {
    name: 'coming up, and it says how far',
    observed: up(0, { power: 'turning_on', settledGeneration: 0, progress: 'loading tables' }),
    wanted: ['wait', 'provisioning', /loading tables/],
  },
  {
    name: 'coming up again',
    status: { provisioned: true },
    observed: up(0, { power: 'turning_on', settledGeneration: 0 }),
    wanted: ['wait', 'starting', /starting/],
  },
  {
    name: 'coming up with trouble that may pass',
    observed: up(0, { power: 'turning_on', problem: retryable, progress: 'loading' }),
    wanted: ['wait', 'provisioning', /disk is slow/],
  },
  { name: 'up', observed: up(2), wanted: ['none', 'running', /all replicas serve/] },
  { name: 'up with more than wanted', observed: up(3), wanted: ['none', 'running', /all replicas/] },
  {
    name: 'up in part',
    observed: up(1),
    wanted: ['wait', 'partially_running', /1 of 2 replicas serve/],
  },
  {
    name: 'up without anybody who serves',
    status: { provisioned: true },
    observed: up(0),
    wanted: ['wait', 'starting', /starting/],
  },
  {
    name: 'up with trouble that may pass',
    observed: up(2, { problem: retryable }),
    wanted: ['wait', 'degraded', /disk is slow/],
  },
  {
    name: 'up with trouble that does not pass',
    observed: up(2, { problem: final }),
    wanted: ['none', 'failed', /disk is gone/],
  },
  {
    name: 'a change while it serves',
    observed: up(2, { acceptedGeneration: 2, settledGeneration: 2 }),
    wanted: ['apply', 'running', /handed to the engine/],
  },
  {
    name: 'a change that is under way',
    observed: up(2, { settledGeneration: 2, progress: 'adding a replica' }),
    wanted: ['wait', 'running', /adding a replica/],
  },
  {
    name: 'a new intent after a final failure',
    status: { state: 'failed', provisioned: true },
    observed: up(0, { acceptedGeneration: 2, problem: final }),
    wanted: ['apply', 'starting', /handed to the engine/],
  },
  {
    name: 'asleep',
    observed: up(0, { power: 'idle' }),
    wanted: ['none', 'idle', /idle timeout/],
  },
  {
    name: 'nobody can tell',
    status: { state: 'degraded' },
    observed: { ...absent, power: 'unknown' },
    wanted: ['wait', 'degraded', /cannot tell/],
  },
  {
    name: 'to stop, and never handed over',
    spec: { power: 'off' },
    observed: absent,
    wanted: ['none', 'stopped', /stopped on request/],
  },
  {
    name: 'to stop, and it runs',
    spec: { power: 'off' },
    observed: up(2, { acceptedGeneration: 2 }),
    wanted: ['apply', 'stopping', /handed to the engine/],
  },
  {
    name: 'stopping',
    spec: { power: 'off' },
    observed: up(2, { power: 'turning_off', settledGeneration: 2 }),
    wanted: ['wait', 'stopping', /queries are being finished/],
  },
  {
    name: 'stopped',
    spec: { power: 'off' },
    observed: up(0, { power: 'off' }),
    wanted: ['none', 'stopped', /stopped on request/],
  },
  {
    name: 'stopped, and changed while off: the engine learns of it with the start',
    spec: { power: 'off' },
    observed: up(0, { power: 'off', acceptedGeneration: 2 }),
    wanted: ['none', 'stopped', /stopped on request/],
  },
  {
    name: 'cannot be stopped',
    spec: { power: 'off' },
    observed: up(1, { power: 'turning_off', problem: final }),
    wanted: ['none', 'failed', /disk is gone/],
  },
  {
    name: 'to delete',
    spec: { power: 'off', deleting: true },
    observed: up(0, { power: 'off', acceptedGeneration: 2 }),
    wanted: ['destroy', 'terminating', /being removed/],
  },
  {
    name: 'to delete, with trouble',
    spec: { power: 'off', deleting: true },
    observed: up(2, { problem: final, progress: 'removing files' }),
    wanted: ['destroy', 'terminating', /removing files/],
  },
  {
    name: 'deleted',
    spec: { power: 'off', deleting: true },
    observed: absent,
    wanted: ['forget', 'terminating', /nothing is left/],
  },
]

for (const { name, spec, status, observed, wanted } of cases) {
  test(`decide: ${name}`, () => {
    const service = {
      generation: 3,
      spec: { ...plainSpec, numReplicas: 2, ...spec },
      status: { ...plainStatus, ...status },
    }
    const { action, state, reason } = decideService(service, observed)
    assert.deepEqual([action, state], wanted.slice(0, 2))
    assert.match(reason, wanted[2])
  })
}

const situations = fc.record({
  generation: fc.integer({ min: 1, max: 4 }),
  power: fc.constantFrom('on', 'off'),
  deleting: fc.boolean(),
  numReplicas: fc.integer({ min: 1, max: 4 }),
  provisioned: fc.boolean(),
  state: fc.constantFrom(...serviceStates),
  observed: fc.record<ObservedService>({
    acceptedGeneration: fc.integer({ min: 0, max: 4 }),
    settledGeneration: fc.integer({ min: 0, max: 4 }),
    power: fc.constantFrom('on', 'off', 'idle', 'turning_on', 'turning_off', 'absent', 'unknown'),
    replicas: fc.array(fc.record({ canRead: fc.boolean() }), { maxLength: 5 }),
    problem: fc.constantFrom(null, retryable, final),
    progress: fc.constantFrom('', 'so far'),
  }),
})

test('decide: whatever is seen, the decision is safe, honest and has a reason', () => {
  fc.assert(
    fc.property(situations, (situation) => {
      const { generation, power, deleting, numReplicas, provisioned, state, observed } = situation
      const spec: ServiceSpec = { ...plainSpec, power: power as 'on' | 'off', deleting, numReplicas }
      const service = { generation, spec, status: { ...plainStatus, state, provisioned } }
      const decision = decideService(service, observed)
      const serving = observed.replicas.filter(({ canRead }) => canRead).length
      assert.notEqual(decision.reason, '')
      // Data is removed only when deletion was requested, and the record only after the data.
      if (decision.action === 'destroy' || decision.action === 'forget') assert.ok(deleting)
      assert.equal(decision.action === 'forget', deleting && observed.power === 'absent')
      if (deleting) return assert.equal(decision.state, 'terminating')
      // The same spec is not applied twice, and never while the engine's state is unknown.
      if (decision.action === 'apply') {
        assert.ok(observed.acceptedGeneration < generation && observed.power !== 'unknown')
      }
      if (observed.power === 'unknown') return assert.equal(decision.state, state)
      // The state never says running while no replica serves, and is not settled before all of the intent is
      // true.
      if (['running', 'partially_running', 'degraded'].includes(decision.state)) assert.ok(serving > 0)
      if (decision.action === 'none' && decision.state === 'running') {
        assert.ok(serving >= numReplicas && observed.settledGeneration >= generation && !observed.problem)
      }
      if (power === 'off') assert.ok(['stopping', 'stopped', 'failed'].includes(decision.state))
      else assert.ok(!['stopping', 'stopped'].includes(decision.state))
      if (decision.state === 'provisioning') assert.equal(provisioned, false)
      if (decision.state === 'starting') assert.equal(provisioned, true)
    }),
    { numRuns: 2_000 },
  )
})
