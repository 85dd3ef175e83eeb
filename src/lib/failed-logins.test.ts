import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createFailedLogins, failureWindowMs, maxFailures } from './failed-logins.ts'

function rig() {
  const clock = createManualClock()
  const logins = createFailedLogins(clock)
  const fail = (address: string, times = maxFailures) => {
    for (let n = 0; n < times; n++) logins.failed(address, `guess ${n}`)
  }
  logins.waitMs('', '')
  return { clock, logins, fail }
}

test('an address waits for the next window after so many failures, others do not', async () => {
  const { clock, logins, fail } = rig()
  fail('one', maxFailures - 1)
  assert.equal(logins.waitMs('one', 'key'), 0)
  fail('one', 1)
  await clock.advance(1_000)
  assert.equal(logins.waitMs('one', 'key'), failureWindowMs - 1_000)
  assert.equal(logins.waitMs('other', 'key'), 0)
  await clock.advance(failureWindowMs)
  assert.equal(logins.waitMs('one', 'key'), 0)
})

test('a credential that was right is not locked out, until it fails itself', () => {
  const { logins, fail } = rig()
  logins.succeeded('key')
  fail('one')
  assert.equal(logins.waitMs('one', 'key'), 0)
  logins.failed('one', 'key')
  assert.equal(logins.waitMs('one', 'key'), failureWindowMs)
})

test('credentials in use are remembered, those used longest ago are forgotten first', () => {
  const { logins, fail } = rig()
  logins.succeeded('in use')
  logins.succeeded('old')
  for (let n = 0; n < 9_999; n++) {
    if (n % 100 === 0) logins.succeeded('in use')
    logins.succeeded(`key ${n}`)
  }
  fail('one')
  assert.equal(logins.waitMs('one', 'in use'), 0)
  assert.equal(logins.waitMs('one', 'old'), failureWindowMs)
})
