import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BackupFacts, chainsOf, goodBackups, maxChainLength, planBackup } from './chain.ts'

const hourMs = 3_600_000

/** `a2` is based on `a1`, and that on `a0`, which is full. One begins each hour, in the order given. */
const made = (ids: string[], over: Record<string, Partial<BackupFacts>> = {}): BackupFacts[] =>
  ids
    .map((id, index): BackupFacts => {
      const number = Number(id.slice(1))
      return {
        id,
        startedAtMs: index * hourMs,
        finishedAtMs: index * hourMs + 60_000,
        status: 'done',
        type: number === 0 ? 'full' : 'incremental',
        baseId: number === 0 ? null : `${id[0]}${number - 1}`,
        requestedBy: 'schedule',
        place: 'local',
        damaged: false,
        ...over[id],
      }
    })
    .reverse()

const plan = (backups: BackupFacts[], over: { place?: string; fullRequested?: boolean } = {}) => {
  const planned = planBackup({ backups, place: 'local', ...over })
  return [planned.type === 'full' ? 'full' : planned.baseId, planned.reason]
}

const error = { status: 'error' } as const
const running = { status: 'in_progress', finishedAtMs: null } as const
const damaged = { damaged: true }
const whole = Array.from({ length: maxChainLength }, (_, index) => `a${index}`)

const cases: [
  name: string,
  backups: BackupFacts[],
  planned: [baseIdOrFull: string, reason: string],
  over?: { place?: string; fullRequested?: boolean },
][] = [
  ['the first', [], ['full', 'there is no earlier backup']],
  ['none but failed ones', made(['a0'], { a0: error }), ['full', 'there is no earlier backup']],
  ['after a full one', made(['a0']), ['a0', 'it is number 2 of its chain']],
  ['after an incremental one', made(['a0', 'a1']), ['a1', 'it is number 3 of its chain']],
  ['a failed one is no base', made(['a0', 'a1', 'a2'], { a2: error }), ['a1', 'it is number 3 of its chain']],
  ['a running one is no base', made(['a0', 'a1'], { a1: running }), ['a0', 'it is number 2 of its chain']],
  ['the last of a chain', made(whole.slice(0, -1)), ['a5', 'it is number 7 of its chain']],
  ['the chain is whole', made(whole), ['full', 'the chain has 7 backups']],
  [
    'failed attempts make no chain longer',
    made([...whole.slice(0, -1), 'x6', 'y6'], {
      x6: { ...error, baseId: 'a5' },
      y6: { ...error, baseId: 'a5' },
    }),
    ['a5', 'it is number 7 of its chain'],
  ],
  ['a new chain goes on', made([...whole, 'b0']), ['b0', 'it is number 2 of its chain']],
  [
    'the first of a new chain failed',
    made([...whole, 'b0'], { b0: error }),
    ['full', 'the chain has 7 backups'],
  ],
  ['the last one is damaged', made(['a0', 'a1'], { a1: damaged }), ['full', 'the last backup is damaged']],
  [
    'a damaged one further down',
    made(['a0', 'a1', 'a2', 'a3'], { a1: damaged }),
    ['full', 'a backup that the last one stands on is damaged'],
  ],
  ['a base was removed', made(['a0', 'a2', 'a3']), ['full', 'a backup that the last one stands on is gone']],
  [
    'a base failed after all',
    made(['a0', 'a1'], { a0: error }),
    ['full', 'a backup that the last one stands on is gone'],
  ],
  [
    'incremental on nothing that is known',
    made(['a0'], { a0: { type: 'incremental' } }),
    ['full', 'a backup that the last one stands on is gone'],
  ],
  [
    'damage in an older chain',
    made(['a0', 'a1', 'b0'], { a0: damaged }),
    ['b0', 'it is number 2 of its chain'],
  ],
  ['another place', made(['a0']), ['full', 'backups now go to another place'], { place: 's3://x' }],
  [
    'back at the old place: its chain is not taken up again',
    made(['a0', 'a1', 'b0'], { b0: { place: 's3://x' } }),
    ['full', 'backups now go to another place'],
  ],
  ['asked for', made(['a0']), ['full', 'a full backup was asked for'], { fullRequested: true }],
]

for (const [name, backups, planned, over] of cases) {
  test(`plan: ${name}`, () => {
    assert.deepEqual(plan(backups, over), planned)
    assert.deepEqual(plan(backups.toReversed(), over), planned, 'in any order')
  })
}

const ids = (backups: BackupFacts[]) => backups.map(({ id }) => id)
const shape = (backups: BackupFacts[]) =>
  chainsOf(backups).map(({ id, members }) => `${id}: ${ids(members).join(' ')}`)

test('chains come newest first, their members from the base on, failed ones in none', () => {
  const backups = made(['a0', 'a1', 'b0', 'b1', 'b2'], { a1: error, b2: running })
  assert.deepEqual(shape(backups), ['b0: b0 b1 b2', 'a0: a0'])
  assert.deepEqual(chainsOf([]), [])
})

test('what stands on a base that is gone stays one chain', () => {
  assert.deepEqual(shape(made(['a1', 'a2', 'b0'])), ['b0: b0', 'a0: a1 a2'])
})

test('a clock that was set back does not put a backup before its base', () => {
  const backups = made(['a0', 'a1', 'a2'], { a1: { startedAtMs: -hourMs }, a2: { startedAtMs: -2 * hourMs } })
  assert.deepEqual(shape(backups), ['a0: a0 a1 a2'])
})

test('records that stand on each other end no walk in a circle, and are not good', () => {
  const backups = made(['a0', 'a1', 'b0'], { a0: { baseId: 'a1' } })
  assert.deepEqual(ids(goodBackups(backups)), ['b0'])
  assert.equal(chainsOf(backups).flatMap(({ members }) => members).length, 3)
})

test('good is what can be restored', () => {
  const backups = made(['a0', 'a1', 'a2', 'b0', 'b1', 'c1', 'd0', 'd1', 'e0'], {
    a1: damaged,
    b1: error,
    d1: running,
    e0: running,
  })
  assert.deepEqual(ids(goodBackups(backups)), ['d0', 'b0', 'a0'])
})
