import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChainBackup, chainsOf, heightsOf, neededBy } from './backup-chains.ts'

const backup = (id: string, day: number, base = '', more: Partial<ChainBackup> = {}): ChainBackup => ({
  ...{ id, baseBackupId: base, status: 'done', sizeInBytes: 10, verification: { status: 'good' } },
  startedAt: `2026-11-${String(day).padStart(2, '0')}T02:00:00.000Z`,
  finishedAt: `2026-11-${String(day).padStart(2, '0')}T03:00:00.000Z`,
  ...more,
})

const all = [
  backup('f2', 4),
  backup('e', 3, '', { status: 'error' }),
  backup('b', 3, 'a'),
  backup('a', 2, 'f1'),
  backup('f1', 1),
  backup('g', 5, 'f2'),
]

test('a chain is a full backup and those that stand on it, oldest first; failed ones are in none', () => {
  const chains = chainsOf(all, 24)
  assert.deepEqual(
    chains.map(({ id, backups }) => [id, backups.map((one) => one.id)]),
    [
      ['f1', ['f1', 'a', 'b']],
      ['f2', ['f2', 'g']],
    ],
  )
  assert.equal(chains[0]?.bytes, 30)
})

test('a chain has a day of removal only when two newer backups are good', () => {
  assert.equal(chainsOf(all, 24)[0]?.goesAtMs, Date.parse('2026-11-04T03:00:00.000Z'))
  assert.equal(chainsOf(all, 24)[1]?.goesAtMs, null)
  const few = all.filter(({ id }) => id !== 'g')
  assert.equal(chainsOf(few, 24)[0]?.goesAtMs, null)
})

test('a backup is restored with all that it stands on', () => {
  const [b] = all.filter(({ id }) => id === 'b')
  assert.deepEqual(b && neededBy(b, all).map(({ id }) => id), ['f1', 'a', 'b'])
})

test('columns are as high as the logarithm of their sizes', () => {
  const [small, large] = heightsOf([1e6, 1e9])
  assert.ok(small !== undefined && small > 0.1 && small < 0.2)
  assert.equal(large, 1)
  assert.deepEqual(heightsOf([10, 10]), [1, 1])
})
