import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from './manual-clock.ts'

test('sleepers wake in order, each at its own time, and may lie down again on the way', async () => {
  const clock = createManualClock(100)
  const woken: string[] = []
  const sleeper = async (name: string, ...waits: number[]) => {
    for (const ms of waits) {
      await clock.sleep(ms)
      woken.push(`${name}@${clock.now()}`)
    }
  }
  const all = Promise.all([sleeper('a', 30, 5), sleeper('b', 10, 10, 10), sleeper('c', 30)])
  await clock.advance(29)
  assert.deepEqual(woken, ['b@110', 'b@120'])
  assert.equal(clock.now(), 129)
  await clock.advance(100)
  assert.deepEqual(woken.slice(2), ['a@130', 'c@130', 'b@130', 'a@135'])
  assert.equal(clock.now(), 229)
  await all
})

test('an aborted sleep ends without time passing', async () => {
  const clock = createManualClock()
  const stop = new AbortController()
  const sleep = clock.sleep(1_000, stop.signal)
  assert.equal(clock.sleepers(), 1)
  stop.abort()
  await sleep
  await clock.sleep(1_000, stop.signal)
  assert.deepEqual([clock.now(), clock.sleepers()], [0, 0])
})
