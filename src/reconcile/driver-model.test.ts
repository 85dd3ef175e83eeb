import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLink, type Link } from '../../test/support/driver-rig.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createMemoryWork } from '../../test/support/memory-work.ts'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import { createDriver, type Driver } from './driver.ts'
import type { Loop } from './loop.ts'

/**
 * Two control planes on one queue crash, restart and lose their connection while intents come in and runs fail or
 * are slow. Whatever the order:
 * - no resource is run by two living drivers at once, and no driver runs more than it may;
 * - once the faults are over, the last intent of every resource has been reconciled and everything is at rest.
 * A run here ends at its abort; the fence (the epoch), not the driver, handles a run that does not.
 */
const kinds = ['pipe', 'service'] as const
const ids = ['1', '2', '3'] as const
const concurrency = 3
const leaseMs = 6_000
const backoff = { baseMs: 500, maxMs: 4_000, random: () => 0.7 }

const plane = fc.nat({ max: 1 })
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constant('intend'), fc.constantFrom(...kinds), fc.constantFrom(...ids)),
  },
  { weight: 6, arbitrary: fc.tuple(fc.constant('advance'), fc.integer({ min: 0, max: 9_000 })) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('wake'), plane) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('link'), plane, fc.constantFrom('up', 'refuse', 'mute')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('crash'), plane) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('restart'), plane) },
)
/** What each run does: how long it takes, and how it ends. */
const behaviours = fc.infiniteStream(
  fc.record({
    tookMs: fc.constantFrom(0, 0, 10, 900, 15_000),
    end: fc.constantFrom('ok', 'ok', 'again', 'throw'),
  }),
)

interface Plane {
  link: Link
  driver: Driver
  ended: Promise<void>
  running: Set<string>
}

test('any order of intents, crashes and outages ends with every last intent reconciled', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), behaviours, async (steps, script) => {
      const clock = createManualClock()
      const work = createMemoryWork(clock)
      const reconciled = new Map<string, number>()
      const violations: string[] = []
      let calm = false
      let started = 0

      const loop = (kind: string, self: () => Plane): Loop => ({
        kind,
        async reconcile(id, { signal }) {
          const name = `${kind}/${id}`
          const me = self()
          if (planes.some(({ running }) => running.has(name))) violations.push(`${name} runs twice`)
          me.running.add(name)
          if (me.running.size > concurrency) violations.push('too many at once')
          try {
            const { generation } = work.item(kind, id)
            const { tookMs, end } = calm ? { tookMs: 10, end: 'ok' } : script.next().value
            await clock.sleep(tookMs, signal)
            // A dead process changes nothing; a living run ends at its abort.
            if (me.link.mode === 'dead') return new Promise(() => undefined)
            if (signal.aborted) throw new Error('aborted')
            if (end === 'throw') throw new Error('no')
            reconciled.set(name, Math.max(generation, reconciled.get(name) ?? 0))
            return { reason: 'ok', ...(end === 'again' && { againAfterMs: 700 }) }
          } finally {
            me.running.delete(name)
          }
        },
      })
      const boot = (): Plane => {
        started += 1
        const link = createLink(work)
        const loops = kinds.map((kind) => loop(kind, () => plane))
        const options = {
          clock,
          loops,
          log: createRecordingLog(),
          concurrency,
          leaseMs,
          backoff,
          graceMs: 1_000,
        }
        const driver = createDriver({ ...options, work: link, owner: `plane ${started}` })
        const plane: Plane = {
          link,
          driver,
          running: new Set(),
          ended: driver.run(new AbortController().signal),
        }
        return plane
      }
      const planes = [boot(), boot()]
      const at = (index: number): Plane => planes[index] ?? assert.fail()

      for (const [what, one, two] of steps) {
        if (what === 'intend') work.intend(String(one), String(two))
        else if (what === 'advance') await clock.advance(Number(one))
        else if (what === 'wake') at(Number(one)).driver.wake()
        else if (what === 'link') at(Number(one)).link.mode = two as Link['mode']
        else if (what === 'crash') {
          at(Number(one)).link.mode = 'dead'
          planes[Number(one)] = boot()
        } else {
          const { driver, ended } = at(Number(one))
          void driver.stop()
          await clock.advance(3_000)
          await ended
          planes[Number(one)] = boot()
        }
      }

      calm = true
      for (const { link } of planes) link.mode = 'up'
      await clock.advance(60_000)
      assert.deepEqual(violations, [])
      for (const { kind, id, generation, dueAtMs, owner } of work.items()) {
        assert.deepEqual({ dueAtMs, owner }, { dueAtMs: null, owner: null }, `${kind}/${id} is at rest`)
        assert.equal(reconciled.get(`${kind}/${id}`), generation, `${kind}/${id}`)
      }
      await Promise.all(planes.map(({ driver }) => driver.stop()))
      await Promise.all(planes.map(({ ended }) => ended))
    }),
    { numRuns: 150 },
  )
})
