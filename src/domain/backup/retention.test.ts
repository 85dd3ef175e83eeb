import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackupFacts } from './chain.ts'
import { defaultBackupConfiguration } from './configuration.ts'
import { expired } from './retention.ts'

const hourMs = 3_600_000
const nowMs = 1_000 * hourMs

/** `a1` is based on `a0`. `ageH` = hours since it finished; each took an hour. */
const made = (id: string, ageH: number, over: Partial<BackupFacts> = {}): BackupFacts => {
  const number = Number(id.slice(1))
  return {
    id,
    startedAtMs: nowMs - (ageH + 1) * hourMs,
    finishedAtMs: nowMs - ageH * hourMs,
    status: 'done',
    type: number === 0 ? 'full' : 'incremental',
    baseId: number === 0 ? null : `${id[0]}${number - 1}`,
    requestedBy: 'schedule',
    place: 'local',
    damaged: false,
    ...over,
  }
}

const error = { status: 'error' } as const
const running = { status: 'in_progress', finishedAtMs: null } as const
const damaged = { damaged: true }
const old = [made('a2', 96), made('a1', 120), made('a0', 144)]
const fresh = [made('b1', 0), made('b0', 24)]
const nothing = 'nothing is to be removed after 48 h'
const oneWaits = `${nothing}; 1 chain out of retention kept until 2 newer backups are good`
const twoWait = `${nothing}; 2 chains out of retention kept until 2 newer backups are good`
const allOld = '3 backups of 1 chain finished more than 48 h ago'

const cases: [name: string, backups: BackupFacts[], removeIds: string[], reason: string, inUse?: string[]][] =
  [
    ['no backups', [], [], nothing],
    ['all inside', fresh, [], nothing],
    ['an old chain, newest first', [...fresh, ...old], ['a2', 'a1', 'a0'], allOld],
    ['the only chain', old, [], oneWaits],
    ['one newer backup is not enough', [made('b0', 0), ...old], [], oneWaits],
    ['one newer backup and a running one', [made('b1', 0, running), made('b0', 24), ...old], [], oneWaits],
    ['two newer chains of one each', [made('c0', 0), made('b0', 24), ...old], ['a2', 'a1', 'a0'], allOld],
    [
      'newer ones that are old themselves',
      [made('c1', 50), made('c0', 51), ...old],
      ['a2', 'a1', 'a0'],
      `${allOld}; 1 chain out of retention kept until 2 newer backups are good`,
    ],
    ['exactly as old as the retention', [...fresh, made('a0', 48)], [], nothing],
    [
      'a moment older',
      [...fresh, made('a0', 48 + 1 / hourMs)],
      ['a0'],
      '1 backup of 1 chain finished more than 48 h ago',
    ],
    ['one member is inside', [...fresh, made('a1', 47), made('a0', 144)], [], nothing],
    ['one stands on it right now', [...fresh, made('a3', 0, running), ...old], [], nothing],
    ['a restore reads it', [...fresh, ...old], [], nothing, ['a0']],
    ['a failed attempt holds no chain', [...fresh, made('a3', 1, error), ...old], ['a2', 'a1', 'a0'], allOld],
    ['the newer ones are damaged', [made('b1', 0, damaged), made('b0', 24), ...old], [], oneWaits],
    [
      'the newer ones stand on a damaged one',
      [made('b2', 0), made('b1', 1), made('b0', 24, damaged), ...old],
      [],
      oneWaits,
    ],
    [
      'a damaged old chain',
      [...fresh, made('a1', 96), made('a0', 120, damaged)],
      ['a1', 'a0'],
      '2 backups of 1 chain finished more than 48 h ago',
    ],
    ['a damaged old chain is the newest', [made('b0', 90, damaged), ...old], [], twoWait],
    [
      'the rest of a chain whose base is gone',
      [...fresh, made('a2', 96), made('a1', 97)],
      ['a2', 'a1'],
      '2 backups of 1 chain finished more than 48 h ago',
    ],
    [
      'a removal that was cut short goes on',
      [...fresh, ...old.slice(1)],
      ['a1', 'a0'],
      '2 backups of 1 chain finished more than 48 h ago',
    ],
    [
      'two chains, the older one first',
      [...fresh, ...old, made('z1', 200), made('z0', 210)],
      ['z1', 'z0', 'a2', 'a1', 'a0'],
      '5 backups of 2 chains finished more than 48 h ago',
    ],
    ['a failed one inside', [made('x0', 40, error)], [], nothing],
    [
      'a failed one, though there is nothing else',
      [made('x0', 49, error)],
      ['x0'],
      '1 failed backup finished more than 48 h ago',
    ],
    [
      'a failed one of a chain that stays',
      [...fresh, made('b2', 49, { ...error, baseId: 'b0' })],
      ['b2'],
      '1 failed backup finished more than 48 h ago',
    ],
    ['a failed one that something stands on', [made('x1', 10), made('x0', 49, error)], [], nothing],
    ['running for long', [...fresh, made('c0', 500, running)], [], nothing],
    ['the clock was set back', [made('c0', -500), made('b0', -510), made('a0', -600)], [], nothing],
  ]

for (const [name, backups, removeIds, reason, inUse = []] of cases) {
  test(name, () => {
    const configuration = { ...defaultBackupConfiguration, backupRetentionPeriodInHours: 48 }
    const decided = expired({ configuration, backups, nowMs, inUse: new Set(inUse) })
    assert.deepEqual(decided, { removeIds, reason })
  })
}

test('a changed retention counts at once', () => {
  const removed = (hours: number) => {
    const configuration = { ...defaultBackupConfiguration, backupRetentionPeriodInHours: hours }
    return expired({ configuration, backups: [...fresh, ...old], nowMs }).removeIds.length
  }
  assert.deepEqual([24, 72, 96, 120].map(removed), [3, 3, 0, 0])
})

test('the chain of the newest good backup stays, also where by its first start it is not the newest', () => {
  // The chain began before the others but was last continued after them, as when the clock is set back in
  // between.
  const backups = [made('a1', 60), made('c0', 70), made('b0', 80), made('a0', 90)]
  assert.deepEqual(
    expired({ configuration: { ...defaultBackupConfiguration }, backups, nowMs }).removeIds,
    [],
  )
})
