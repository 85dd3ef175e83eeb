import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { block, table } from './layout.ts'
import { columnsOf, nearest, plain, printable } from './text.ts'
import { bytes, duration, fullTime, parseDuration, relativeTime } from './units.ts'

test('columns are aligned by what a terminal shows, and lines have no blanks at their end', () => {
  const text = table(
    ['NAME', 'ID'],
    [
      ['é', '1'],
      ['日本', ''],
      [{ text: 'abcdef', style: 'red' }, '3'],
    ],
    plain,
  )
  assert.equal(text, 'NAME    ID\né       1\n日本\nabcdef  3')
})

test('a block leaves out what is empty and continues lists', () => {
  const text = block(
    [
      ['a', '1'],
      ['empty', ''],
      ['list', ['x', 'y']],
      ['none', []],
    ],
    plain,
  )
  assert.equal(text, 'a     1\nlist  x\n      y')
})

test('nothing from elsewhere can control the terminal', () => {
  const unit = fc.nat(0x3000).map((code) => String.fromCodePoint(code))
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      assert.doesNotMatch(printable(text), /[\p{Cc}\p{Bidi_Control}]/u)
    }),
  )
  assert.equal(printable('two\r\n  lines'), 'two lines')
  assert.equal(columnsOf('👍a'), 3)
})

test('nearest finds typing errors and nothing far away', () => {
  assert.equal(nearest('analitics', ['other', 'analytics']), 'analytics')
  assert.equal(nearest('sales', ['analytics', 'marketing']), undefined)
})

test('times, spans and sizes as people read them', () => {
  const nowMs = Date.parse('2030-05-01T12:00:00Z')
  const ago = (ms: number) => relativeTime(new Date(nowMs - ms).toISOString(), nowMs)
  assert.deepEqual([0, 5_000, 65_000, 7_200_000, 3 * 86_400_000, -120_000].map(ago), [
    'now',
    '5 s ago',
    '1 min ago',
    '2 h ago',
    '3 d ago',
    'in 2 min',
  ])
  assert.equal(ago(90 * 86_400_000), '2030-01-31')
  assert.equal(relativeTime(null, nowMs), '')
  assert.equal(fullTime('2030-05-01T11:59:00.000Z', nowMs), '2030-05-01T11:59:00.000Z (1 min ago)')
  assert.deepEqual([0, 1023, 1536, 150 * 1024 ** 2].map(bytes), ['0 B', '1023 B', '1.5 KiB', '150 MiB'])
  assert.deepEqual(['90', '1.5m', '2h', '30d'].map(parseDuration), [90_000, 90_000, 7_200_000, 2_592_000_000])
  assert.equal(duration(59_999), '59 s')
  assert.throws(() => parseDuration('5 minutes'))
})
