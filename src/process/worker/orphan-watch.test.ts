import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrphanWatch, orphanLookMs } from './orphan-watch.ts'

function look(orphanAfterMs: number) {
  const isOrphan = createOrphanWatch(orphanAfterMs)
  let nowMs = 1_000
  /** Checks `count` times, once per interval; returns the check at which the worker was an orphan. */
  const times = (count: number, asked: number) => {
    for (let at = 1; at <= count; at++) {
      sleep(orphanLookMs)
      if (isOrphan(asked, nowMs)) return at
    }
    return null
  }
  const sleep = (ms: number) => {
    nowMs += ms
  }
  return { times, sleep }
}

test('a replica that nobody asks is an orphan when its time is over, and one that is asked is not', () => {
  const { times } = look(5_000)
  assert.equal(times(6, 0), null)
  assert.equal(times(1, 0), 1)
  assert.equal(times(5, 1), null, 'a question begins the time anew')
  assert.equal(times(5, 2), null)
  assert.equal(times(10, 2), 2)
})

test('a machine that slept for a day has not lost its control plane', () => {
  const { times, sleep } = look(5_000)
  assert.equal(times(3, 0), null)
  sleep(86_400_000)
  assert.equal(times(1, 0), null)
  assert.equal(times(1, 1), null, 'the control plane woke up, too')
  sleep(86_400_000)
  assert.equal(times(2, 1), null)
})
