import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFakeEngine, type FakeEngine } from '../../test/support/fake-engine.ts'
import { createLoopRig } from '../../test/support/loop-rig.ts'
import { addOrganization, addService } from '../../test/support/store-records.ts'
import { applyCommand, type ServiceCommand } from '../domain/service/transitions.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import { createServiceLoop } from './services.ts'

type Step =
  | { kind: 'start' | 'stop' }
  | { kind: 'heal' | 'forget' }
  | { kind: 'scale'; replicas: number }
  | { kind: 'pass'; ms: number }
  | { kind: 'break'; how: keyof typeof faults }

/** Faults that an engine may have for a while. */
const faults = {
  throws: (engine: FakeEngine) => {
    engine.before = () => {
      throw new Error('no answer')
    }
  },
  refuses: (engine: FakeEngine) => {
    engine.refusal = { refused: 'no room', retryable: true }
  },
  'refuses for good': (engine: FakeEngine) => {
    engine.refusal = { refused: 'too large', retryable: false }
  },
  'knows nothing': (engine: FakeEngine) => {
    engine.knows = false
  },
  'brings up one': (engine: FakeEngine) => {
    engine.replicasAtMost = 1
  },
  'never settles': (engine: FakeEngine) => {
    engine.settles = false
  },
  'has a problem': (engine: FakeEngine) => {
    engine.problem = { message: 'slow disk', retryable: true }
  },
  'is broken': (engine: FakeEngine) => {
    engine.problem = { message: 'no disk', retryable: false }
  },
}

function heal(engine: FakeEngine): void {
  engine.before = () => undefined
  engine.refusal = null
  engine.knows = true
  engine.replicasAtMost = null
  engine.settles = true
  engine.problem = null
}

const steps = fc.array(
  fc.oneof(
    fc.constantFrom<Step[]>({ kind: 'start' }, { kind: 'stop' }, { kind: 'heal' }, { kind: 'forget' }),
    fc.record({ kind: fc.constant('scale' as const), replicas: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 12_000 }) }),
    fc.record({
      kind: fc.constant('break' as const),
      how: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
    }),
  ),
  { maxLength: 15 },
)

test('whatever was asked and whatever broke: once all is well, the service becomes what was asked last', async (t) => {
  const rig = await createLoopRig(t)
  const { store, clock } = rig
  const engine = createFakeEngine({ clock })
  const { id: organizationId } = await addOrganization(store)
  rig.start(createServiceLoop({ store, engine, clock }))

  const intend = (id: string, plan: (service: ServiceRecord) => Partial<ServiceRecord>) =>
    store.transaction(async (tx) => {
      const service = (await tx.services.get(organizationId, id)) ?? assert.fail()
      return tx.services.saveIntent({ ...service, ...plan(service) })
    })

  const command = (id: string, wanted: ServiceCommand) =>
    intend(id, ({ spec, status }) => applyCommand(wanted, spec, status, clock.now()) ?? {})

  async function take(id: string, step: Step): Promise<void> {
    switch (step.kind) {
      case 'start':
      case 'stop':
        await command(id, step.kind)
        return
      case 'scale':
        await intend(id, ({ spec }) => ({ spec: { ...spec, numReplicas: step.replicas } }))
        return
      case 'pass':
        return clock.advance(step.ms)
      case 'forget':
        return engine.forget(id)
      case 'break':
        return faults[step.how](engine)
      case 'heal':
        return heal(engine)
    }
  }

  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      heal(engine)
      const { id } = await addService(store, organizationId)
      for (const step of taken) await take(id, step)
      heal(engine)
      // A refusal or a terminal failure is retried only on a new intent.
      await intend(id, () => ({}))
      await clock.advance(400_000)
      const { spec, status, generation } = (await store.services.find(id)) ?? assert.fail()
      const { state, observedGeneration, current } = status
      const wanted =
        spec.power === 'on'
          ? { state: 'running', replicas: spec.numReplicas }
          : { state: 'stopped', replicas: 0 }
      assert.deepEqual({ state, replicas: current.numReplicas }, wanted)
      assert.equal(observedGeneration, generation)
      const calls = engine.applied.filter((each) => each.serviceId === id).map((each) => each.generation)
      assert.deepEqual(
        calls,
        [...calls].sort((a, b) => a - b),
        'an older intent came after a newer one',
      )
    }),
    { numRuns: 30 },
  )
})
