import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedParts, type TableParts } from './part-changes.ts'

/** Parts as `name:rows`; the hash is the name, or follows a `#`. */
const table = (parts: string, keepsRows = true, identity = 'i'): TableParts => ({
  ...{ identity, keepsRows, startedAt: 100 },
  parts: parts
    .split(' ')
    .filter(Boolean)
    .map((text) => {
      const [head = '', hash = head] = text.split('#')
      const [name = '', rows = '1'] = head.split(':')
      return { name, hash, rows: Number(rows) }
    }),
})

const cases: [what: string, before: string, after: string, expected: readonly string[] | 'all'][] = [
  ['nothing', 'all_1_1_0:5', 'all_1_1_0:5', []],
  ['an insert', 'all_1_1_0:5', 'all_1_1_0:5 all_2_2_0:3', ['all_2_2_0']],
  ['an insert into another partition', '202601_1_1_0:5', '202601_1_1_0:5 202602_2_2_0:3', ['202602_2_2_0']],
  ['a merge', 'all_1_1_0:5 all_2_2_0:3', 'all_1_2_1:8', []],
  ['a merge with rows that came meanwhile', 'all_1_1_0:5 all_2_2_0:3', 'all_1_3_1:9', ['all_1_3_1']],
  ['a merge that lost rows', 'all_1_1_0:5 all_2_2_0:3', 'all_1_2_1:7', 'all'],
  ['inserts that were merged before they were seen', 'all_1_1_0:5', 'all_1_1_0:5 all_2_3_1:9', ['all_2_3_1']],
  ['a mutation', 'all_1_1_0:5', 'all_1_1_0_2:5', 'all'],
  ['a merge of mutated parts', 'all_1_1_0_3:5 all_2_2_0_3:3', 'all_1_2_1_3:8', []],
  ['a part that is gone', 'all_1_1_0:5 all_2_2_0:3', 'all_1_1_0:5', 'all'],
  ['all parts gone', 'all_1_1_0:5', '', 'all'],
  ['a part of the same name with other files', 'all_1_1_0:5#a', 'all_1_1_0:5#b', 'all'],
  ['a patch', 'all_1_1_0:5', 'all_1_1_0:5 patch-x-all_2_2_0:1', 'all'],
  ['a name that is not understood', 'all_1_1_0:5', 'all_1_1_0:5 strange', 'all'],
]

for (const [what, before, after, expected] of cases) {
  test(`${what}: ${expected === 'all' ? 'anything may have changed' : `[${expected}]`}`, () => {
    assert.deepEqual(changedParts(table(before), table(after)), expected)
  })
}

test('where merges remove rows, a merge changes everything; an insert still only adds', () => {
  assert.equal(changedParts(table('all_1_1_0 all_2_2_0', false), table('all_1_2_1:2', false)), 'all')
  assert.deepEqual(changedParts(table('all_1_1_0', false), table('all_1_1_0 all_2_2_0', false)), [
    'all_2_2_0',
  ])
})

test('another table of the same name is all new', () => {
  assert.equal(changedParts(table('all_1_1_0'), table('all_1_1_0', true, 'j')), 'all')
})

test('a start that is read a second later is the same start; another one is not', () => {
  const before = table('all_1_1_0:5')
  for (const startedAt of [99, 101]) assert.deepEqual(changedParts(before, { ...before, startedAt }), [])
  for (const startedAt of [98, 102]) assert.equal(changedParts(before, { ...before, startedAt }), 'all')
})
