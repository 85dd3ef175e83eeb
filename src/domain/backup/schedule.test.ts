import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackupFacts } from './chain.ts'
import { backupPeriodsInHours } from './configuration.ts'
import { nextBackup, type ScheduleSituation } from './schedule.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** `2 05:30` = January 2, half past five. */
const at = (text: string) => {
  const [day = '', time = ''] = text.split(' ')
  return Date.parse(`2026-01-${day.padStart(2, '0')}T${time}:00Z`)
}
const told = (timeMs: number) => {
  const [, day = '', time = ''] = /^2026-01-(..)T(..:..):00\.000Z$/.exec(new Date(timeMs).toISOString()) ?? []
  return `${Number(day)} ${time}`
}

/** `2 05:30 user error` = on request, and failed. Each backup takes ten minutes and has its start as its id. */
const made = (text: string, over: Partial<BackupFacts> = {}): BackupFacts => {
  const [day = '', time = '', ...words] = text.split(' ')
  const startedAtMs = at(`${day} ${time}`)
  const running = words.includes('running')
  return {
    id: `${day} ${time}`,
    startedAtMs,
    finishedAtMs: running ? null : startedAtMs + 10 * minuteMs,
    status: running ? 'in_progress' : words.includes('error') ? 'error' : 'done',
    type: 'full',
    baseId: null,
    requestedBy: words.includes('user') ? 'user' : 'schedule',
    place: 'local',
    damaged: words.includes('damaged'),
    ...over,
  }
}

/** `24` or `24 at 02:00`. The service was created on the first of January at ten o'clock. */
const situation = (every: string, backups: BackupFacts[], nowMs: number): ScheduleSituation => {
  const [hours, backupStartTime = ''] = every.split(' at ')
  const backupPeriodInHours = Number(hours)
  const configuration = { backupPeriodInHours, backupRetentionPeriodInHours: 24, backupStartTime }
  return { configuration, backups, place: 'local', createdAtMs: at('1 10:00'), nowMs }
}

const cases: [name: string, every: string, now: string, dueAt: string, backups: string][] = [
  ['a new service', '12', '1 10:01', '1 22:00', ''],
  ['a new service, switched off since', '12', '9 10:00', '1 22:00', ''],
  ['one on request postpones the next', '8', '2 10:00', '2 15:00', '2 07:00 user, 2 01:00'],
  ['one that runs', '6', '9 01:00', '2 07:00', '2 01:00 running, 1 16:00'],
  ['one on request that runs', '6', '9 01:00', '2 07:00', '2 01:00 user running, 1 16:00'],
  ['off for days: overdue, once', '6', '9 01:00', '2 07:00', '2 01:00'],
  ['and after it a period on', '6', '9 01:11', '9 07:00', '9 01:00, 2 01:00'],
  ['a shorter period counts at once', '6', '2 20:00', '2 07:00', '2 01:00'],
  ['a longer one too', '48', '2 20:00', '4 01:00', '2 01:00'],
  ['a start time means nothing with other periods', '12 at 02:00', '2 06:00', '2 17:00', '2 05:00'],

  ['failed once', '6', '2 07:11', '2 07:25', '2 07:00 error, 2 01:00'],
  ['failed twice', '6', '2 07:40', '2 08:05', '2 07:25 error, 2 07:00 error, 2 01:00'],
  ['failed three times', '6', '2 08:20', '2 09:15', '2 08:05 error, 2 07:25 error, 2 07:00 error'],
  ['the first one failed', '24', '2 10:20', '2 10:25', '2 10:00 error'],
  ['failures before the last good one are forgotten', '6', '2 08:00', '2 13:25', '2 07:25, 2 07:00 error'],
  ['one on request ends the retries', '6', '2 08:00', '2 13:11', '2 07:11 user, 2 07:00 error'],
  ['a failed one on request is not retried', '6', '2 03:30', '2 07:00', '2 03:00 user error, 2 01:00'],
  ['nor does it count', '6', '2 07:23', '2 07:25', '2 07:12 user error, 2 07:00 error, 2 01:00'],
  ['a longer period ends the retries', '24', '2 07:11', '3 01:00', '2 07:00 error, 2 01:00'],
  ['a damaged one is made anew', '24', '2 18:00', '2 10:25', '2 10:00 damaged, 1 10:00'],

  ['a new service: its first such hour', '24 at 12:00', '1 10:01', '1 12:00', ''],
  ['created at that very hour', '24 at 10:00', '1 10:00', '2 10:00', ''],
  ['every second day: the first hour', '48 at 12:00', '1 10:01', '1 12:00', ''],
  ['every day', '24 at 02:00', '4 03:00', '5 02:00', '4 02:07'],
  ['a few minutes after the hour', '24 at 02:00', '5 02:03', '5 02:00', '4 02:07'],
  ['every second day', '48 at 02:00', '5 02:30', '6 02:00', '4 02:07'],
  ['midnight', '24 at 00:00', '4 00:10', '5 00:00', '4 00:00'],
  ['one on request does not move the hour', '24 at 02:00', '4 23:30', '5 02:00', '4 23:00 user, 4 02:00'],
  ['nor the day', '48 at 02:00', '5 23:30', '6 02:00', '5 23:00 user, 4 02:00'],
  ['off at the hour: at once when back', '24 at 02:00', '7 09:00', '5 02:00', '4 02:00'],
  ['off every night: still one a day', '24 at 02:00', '5 08:30', '5 09:00', '4 09:00'],
  ['at the hour again when it is on', '24 at 02:00', '4 10:00', '5 02:00', '4 09:00'],
  ['set when the hour had passed: not at once', '24 at 05:00', '4 11:00', '5 03:00', '4 03:00'],
  ['set when the hour had passed, the last yesterday', '24 at 02:00', '4 11:00', '4 23:00', '3 23:00'],
  ['set before the hour', '24 at 13:00', '4 11:00', '4 13:00', '4 03:00'],
  ['one that runs at the hour', '24 at 02:00', '4 02:00', '4 02:00', '4 01:55 running'],
  ['failed at the hour', '24 at 02:00', '5 02:11', '5 02:25', '5 02:00 error, 4 02:00'],
  ['failed long after the hour', '24 at 02:00', '5 03:30', '5 03:25', '5 03:00 error, 4 22:00 user'],
  [
    'a long wait ends at the hour',
    '24 at 02:00',
    '4 20:00',
    '5 02:00',
    '4 18:00 error, 4 09:00 error, 4 05:00 error, 4 03:00 error, 4 02:50 error, 4 02:25 error, 4 02:00 error',
  ],
  [
    'a retry soon after the hour moves nothing',
    '24 at 02:00',
    '4 12:00',
    '5 02:00',
    '4 02:50, 4 02:00 error',
  ],
  ['a later retry: the next day is skipped', '24 at 02:00', '4 12:00', '6 02:00', '4 05:00, 4 02:00 error'],
  ['of every second day none is', '48 at 02:00', '4 12:00', '6 02:00', '4 05:00, 4 02:00 error'],
  ['one on request had failed: no retry', '24 at 02:00', '4 12:00', '5 02:00', '4 05:00, 4 02:00 user error'],
  [
    'one on request after a failure: no retry',
    '24 at 02:00',
    '4 12:00',
    '5 02:00',
    '4 05:00 user, 4 02:00 error',
  ],

  ['a clock set back: good ones in the future', '24', '4 10:00', '3 10:00', '20 10:00, 2 10:00'],
  ['a clock set back: failures in the future', '24', '4 10:00', '3 10:00', '20 10:00 error, 2 10:00'],
]

for (const [name, every, now, dueAt, texts] of cases) {
  test(`${name} (every ${every})`, () => {
    const backups = texts === '' ? [] : texts.split(', ').map((text) => made(text))
    const decided = nextBackup(situation(every, backups, at(now)))
    const due = !texts.includes('running') && at(now) >= at(dueAt)
    assert.deepEqual([told(decided.dueAtMs), decided.due], [dueAt, due])
    assert.deepEqual(nextBackup(situation(every, backups.toReversed(), at(now))), decided, 'in any order')
  })
}

for (const hours of backupPeriodsInHours) {
  test(`every ${hours} h: due to the millisecond, from the start of the last good one`, () => {
    const last = made('5 03:17')
    const dueAtMs = last.startedAtMs + hours * hourMs
    const due = (nowMs: number) => nextBackup(situation(`${hours}`, [last], nowMs)).due
    assert.deepEqual([due(dueAtMs - 1), due(dueAtMs)], [false, true])
  })
}

test('however often it failed, the wait is never longer than the period', () => {
  const failures = Array.from({ length: 1_100 }, (_, index) => made('2 07:00 error', { id: `${index}` }))
  assert.equal(told(nextBackup(situation('6', failures, at('2 08:00'))).dueAtMs), '2 13:10')
})

test('failures elsewhere do not count at a new place', () => {
  const backups = [made('2 07:25 error'), made('2 07:00 error'), made('2 01:00')]
  const dueAt = (place: string) =>
    told(nextBackup({ ...situation('6', backups, at('2 07:40')), place }).dueAtMs)
  assert.deepEqual([dueAt('local'), dueAt('s3://x')], ['2 08:05', '2 07:00'])
})

test('what stands on a damaged backup does not count as one', () => {
  const backups = [made('3 10:00', { type: 'incremental', baseId: '2 10:00' }), made('2 10:00 damaged')]
  assert.equal(nextBackup(situation('24', backups, at('3 18:00'))).due, true)
})

test('a creation in the future, from before the clock was set back, holds up nothing', () => {
  assert.ok(nextBackup({ ...situation('24', [], at('4 10:00')), createdAtMs: at('20 10:00') }).due)
})

test('the reason is one that a person understands', () => {
  const reason = (now: string, ...backups: string[]) =>
    nextBackup(
      situation(
        '24',
        backups.map((text) => made(text)),
        at(now),
      ),
    ).reason
  const last = 'the last good backup began 24 h ago'
  assert.equal(reason('1 11:00'), 'there is no good backup yet; the next is due in 23 h')
  assert.equal(reason('3 10:00', '2 10:00'), `${last}; the next is due`)
  assert.equal(reason('2 10:30', '2 10:00'), 'the last good backup began 30 min ago; the next is due in 24 h')
  assert.equal(reason('3 10:00', '3 09:59 running'), 'a backup is in progress')
  assert.equal(
    reason('3 10:12', '3 10:00 error', '2 10:00'),
    `${last}, and the last attempt failed; the next is due in 13 min`,
  )
  assert.equal(
    reason('3 10:40', '3 10:20 error', '3 10:00 error'),
    'there is no good backup yet, and the last 2 attempts failed; the next is due in 20 min',
  )
})
