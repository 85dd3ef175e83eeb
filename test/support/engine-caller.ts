import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type {
  ApplyResult,
  Engine,
  EngineObservation,
  EngineRef,
  EngineSpec,
} from '../../src/engine/engine.ts'

/** An engine to test, alone on its data. */
export interface EngineRig {
  engine: Engine
  /** Ends the engine as a crash or an update would, and opens it again on the same data. */
  reopen(): Promise<Engine>
  /** Repeats until the condition holds while time passes; fails when it never does. */
  until(what: string, condition: () => Promise<boolean> | boolean): Promise<void>
}

export type CreateEngineRig = (t: TestContext) => Promise<EngineRig>

/**
 * Calls an engine as the loops do: a call that throws is repeated, an unknown observation is asked for again, and
 * a retryable refusal is waited out. So the same tests hold for an engine that is slow or fails every other time.
 */
export interface EngineCaller {
  apply(spec: EngineSpec): Promise<ApplyResult>
  observe(ref: EngineRef): Promise<EngineObservation>
  destroy(ref: EngineRef, data: 'keep' | 'purge'): Promise<void>
  /** Sorted by service id. */
  adopt(): Promise<EngineRef[]>
  /** Applies the spec and waits until it is settled. `look` sees every observation on the way. */
  bring(spec: EngineSpec, look?: (observed: EngineObservation) => void): Promise<EngineObservation>
  /** Repeats the call until nothing is left of the service. */
  goneAfter(ref: EngineRef, call: () => Promise<void>): Promise<void>
}

export function createCaller(rig: Pick<EngineRig, 'engine' | 'until'>): EngineCaller {
  async function answer<T>(what: string, call: () => Promise<T>, isFine: (value: T) => boolean): Promise<T> {
    const answers: T[] = []
    await rig.until(what, async () => {
      try {
        const value = await call()
        if (isFine(value)) answers.push(value)
      } catch (error) {
        // A failed assertion is a failure of the test, not of the engine.
        if (error instanceof assert.AssertionError) throw error
      }
      return answers.length > 0
    })
    return answers[0] as T
  }

  const caller: EngineCaller = {
    apply: (spec) =>
      answer(
        `generation ${spec.generation} is answered`,
        () => rig.engine.apply(spec),
        (result) => 'accepted' in result || !result.retryable,
      ),
    observe: (ref) =>
      answer(
        `${ref.serviceId} can be observed`,
        () => rig.engine.observe(ref),
        ({ power, acceptedGeneration, settledGeneration }) => {
          assert.ok(settledGeneration <= acceptedGeneration, 'it became true before it was taken')
          return power !== 'unknown'
        },
      ),
    destroy: (ref, data) =>
      answer(
        `${ref.serviceId} is being destroyed`,
        () => rig.engine.destroy(ref, data),
        () => true,
      ),
    async adopt() {
      const refs = await answer(
        'it names what it holds',
        () => rig.engine.adopt(),
        () => true,
      )
      return refs.sort((a, b) => (a.serviceId < b.serviceId ? -1 : 1))
    },
    async bring(spec, look = () => {}) {
      assert.deepEqual(await caller.apply(spec), { accepted: spec.generation })
      let observed = await caller.observe(spec)
      await rig.until(`generation ${spec.generation} of ${spec.serviceId} is true`, async () => {
        observed = await caller.observe(spec)
        look(observed)
        return observed.settledGeneration === spec.generation
      })
      return observed
    },
    async goneAfter(ref, call) {
      await rig.until(`${ref.serviceId} is gone`, async () => {
        const { power } = await caller.observe(ref)
        if (power !== 'absent') await call()
        return power === 'absent'
      })
    },
  }
  return caller
}

export const gib = 1024 ** 3

export function engineSpec(over: Partial<EngineSpec> = {}): EngineSpec {
  return {
    serviceId: 'service-a',
    warehouseId: 'warehouse-a',
    generation: 1,
    power: 'on',
    replicas: 1,
    memoryBytesPerReplica: 8 * gib,
    role: 'primary',
    durableInserts: true,
    restoreFrom: null,
    ...over,
  }
}

export const refOf = (serviceId: string, warehouseId: string): EngineRef => ({ serviceId, warehouseId })

export function brief({ power, acceptedGeneration, settledGeneration, replicas }: EngineObservation) {
  return { power, accepted: acceptedGeneration, settled: settledGeneration, replicas: replicas.length }
}
