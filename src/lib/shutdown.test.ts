import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import { shutdown } from './shutdown.ts'

test('phases run in order, tasks of a phase side by side', async () => {
  const clock = createManualClock()
  const steps: string[] = []
  const task = (name: string, ms: number) => ({
    name,
    async run() {
      steps.push(`${name} begins`)
      await clock.sleep(ms)
      steps.push(`${name} ends at ${clock.now()}`)
    },
  })
  const report = shutdown(
    [
      { name: 'drain', limitMs: 100, tasks: [task('slow', 50), task('quick', 10)] },
      { name: 'close', limitMs: 100, tasks: [task('store', 5)] },
    ],
    { clock, log: createRecordingLog() },
  )
  await clock.advance(1_000)
  assert.deepEqual(await report, { timedOut: [], failed: [] })
  const expected =
    'slow begins, quick begins, quick ends at 10, slow ends at 50, store begins, store ends at 55'
  assert.equal(steps.join(', '), expected)
  assert.equal(clock.sleepers(), 0)
})

test('what hangs or fails is reported and does not keep later phases from running', async () => {
  const clock = createManualClock()
  const late = Promise.withResolvers<void>()
  const broken = new Error('broken')
  let told: AbortSignal | undefined
  let closedAtMs: number | undefined
  const store = {
    name: 'store',
    run() {
      closedAtMs = clock.now()
    },
  }
  const ended = shutdown(
    [
      {
        name: 'drain',
        limitMs: 100,
        tasks: [
          {
            name: 'hangs',
            run(signal) {
              told = signal
              return late.promise
            },
          },
          { name: 'rejects', run: () => Promise.reject(broken) },
          {
            name: 'throws',
            run() {
              throw broken
            },
          },
        ],
      },
      { name: 'close', limitMs: 100, tasks: [store] },
      { name: 'empty', limitMs: 100, tasks: [] },
    ],
    { clock, log: createRecordingLog() },
  )
  await clock.advance(99)
  assert.equal(closedAtMs, undefined)
  assert.equal(told?.aborted, false)
  await clock.advance(1)
  const report = await ended
  assert.equal(closedAtMs, 100)
  assert.equal(told?.aborted, true)
  late.reject(new Error('after its time'))
  await clock.advance(0)
  assert.deepEqual(report, {
    timedOut: [{ phase: 'drain', task: 'hangs' }],
    failed: [
      { phase: 'drain', task: 'throws', error: broken },
      { phase: 'drain', task: 'rejects', error: broken },
    ],
  })
})

test('in a hurry only what is vital is waited for', async () => {
  const clock = createManualClock()
  const hurry = new AbortController()
  const ended: string[] = []
  const task = (name: string) => ({
    name,
    async run() {
      await clock.sleep(50)
      ended.push(`${name} at ${clock.now()}`)
    },
  })
  const report = shutdown(
    [
      { name: 'requests', limitMs: 100, tasks: [task('requests')] },
      { name: 'loops', limitMs: 100, tasks: [task('loops')] },
      { name: 'engine', limitMs: 100, isVital: true, tasks: [task('engine')] },
      { name: 'store', limitMs: 100, tasks: [task('store')] },
    ],
    { clock, log: createRecordingLog(), hurry: hurry.signal },
  )
  await clock.advance(10)
  hurry.abort()
  await clock.advance(50)
  const { timedOut } = await report
  assert.deepEqual(
    timedOut.map(({ phase }) => phase),
    ['requests', 'loops', 'store'],
  )
  assert.ok(ended.includes('engine at 60'))
})
