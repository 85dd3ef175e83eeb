import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProbe } from '../../test/support/driver-rig.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createMemoryWork } from '../../test/support/memory-work.ts'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import type { Hint } from '../reconcile/hints.ts'
import { joinParts } from './join.ts'
import type { Part, StopPhase } from './part.ts'

function createRig() {
  const clock = createManualClock(1_000_000)
  const work = createMemoryWork(clock)
  const log = createRecordingLog()
  const steps: string[] = []
  let hint: Hint = () => assert.fail('hints have not begun')
  const probe = createProbe('pipe', clock)
  probe.behave = () => {
    steps.push('loop runs')
    return { reason: 'as wanted' }
  }
  const stops = (name: string, ...phases: StopPhase[]): NonNullable<Part['stop']> =>
    Object.fromEntries(
      phases.map((phase) => [
        phase,
        async (hurry?: AbortSignal) => void steps.push(`${name} ${phase}${hurry?.aborted ? ' hurries' : ''}`),
      ]),
    )
  const parts: Part[] = [
    { name: 'last', stop: stops('last', 'store') },
    {
      name: 'first',
      loops: [probe],
      hints(given) {
        steps.push('first hints')
        hint = given
        return () => void steps.push('first hints end')
      },
      gauges: [{ name: 'granary_first', help: '', labels: [], read: () => [] }],
      start: async () => void steps.push('first starts'),
      stop: stops('first', 'requests', 'engine'),
    },
    { name: 'second', start: async () => void steps.push('second starts'), stop: stops('second', 'jobs') },
  ]
  const joined = joinParts(parts, { work, clock, log, owner: 'test' })
  const stop = async (hurry?: AbortSignal) => {
    let isStopped = false
    const stopped = joined.stop(hurry).then(() => {
      isStopped = true
    })
    while (!isStopped) await clock.advance(1_000)
    await stopped
  }
  return { clock, work, log, steps, joined, stop, hint: () => hint('pipe', 'one') }
}

test('hints begin before the parts start, and the loops run last', async () => {
  const { clock, work, steps, joined, stop, hint } = createRig()
  work.intend('pipe', 'one')
  await joined.start()
  await clock.advance(100)
  assert.deepEqual(steps, ['first hints', 'first starts', 'second starts', 'loop runs'])
  hint()
  await clock.advance(100)
  assert.equal(steps.at(-1), 'loop runs')
  assert.equal(steps.length, 5, 'a hint makes the resource due')
  await stop()
})

test('each part ends what it has in each phase of the shutdown, with its hurry', async () => {
  const { steps, log, joined, stop } = createRig()
  await joined.start()
  steps.length = 0
  await stop(AbortSignal.abort())
  assert.deepEqual(steps, [
    'first requests hurries',
    'first hints end',
    'second jobs hurries',
    'first engine hurries',
    'last store hurries',
  ])
  const begun = log.lines.flatMap(({ detail }) => ('phase' in detail ? [detail.phase] : []))
  assert.deepEqual([...new Set(begun)], ['requests', 'loops', 'jobs', 'engine', 'store'])
})

test('the gauges of all parts are joined, those of the loops too', () => {
  const names = createRig().joined.gauges.map(({ name }) => name)
  assert.ok(names.includes('granary_first') && names.includes('granary_reconcile_running'), names.join())
})
