import assert from 'node:assert/strict'
import { describe, type TestContext } from 'node:test'
import type { EngineRig } from './engine-caller.ts'
import { testEngine } from './engine-contract.ts'
import { createFakeEngine, type FakeEngine } from './fake-engine.ts'
import { createManualClock } from './manual-clock.ts'

/** However the engine misbehaves, the contract holds for a caller that retries. */
const manners: Record<string, (engine: FakeEngine) => void> = {
  'as it should be': () => {},
  slow(engine) {
    engine.startMs = 300_000
    engine.stopMs = 120_000
    engine.destroysNeeded = 9
  },
  'failing every other time, before or after the deed'(engine) {
    let calls = 0
    engine.before = () => {
      calls += 1
      if (calls % 3 === 0) throw new Error('connection refused')
    }
    engine.after = () => {
      if (calls % 2 === 0) throw new Error('connection reset')
    }
  },
  'knowing nothing now and then, refusing at first, and half up for a while'(engine) {
    let calls = 0
    engine.before = (call) => {
      calls += 1
      engine.knows = calls % 4 !== 0
      engine.refusal = call === 'apply' && calls % 5 === 0 ? { refused: 'no room', retryable: true } : null
      engine.replicasAtMost = calls % 7 === 0 ? 1 : null
    }
  },
}

for (const [name, misbehave] of Object.entries(manners)) {
  describe(`a fake engine, ${name}`, () => {
    testEngine(async (_t: TestContext): Promise<EngineRig> => {
      const clock = createManualClock(1_000_000)
      const engine = createFakeEngine({ clock })
      misbehave(engine)
      return {
        engine,
        async reopen() {
          await engine.close()
          engine.reopen()
          return engine
        },
        async until(what, condition) {
          for (let passedMs = 0; !(await condition()); passedMs += 500) {
            assert.ok(passedMs < 3_600_000, `${what}: not within an hour of the manual clock`)
            await clock.advance(500)
          }
        },
      }
    })
  })
}
