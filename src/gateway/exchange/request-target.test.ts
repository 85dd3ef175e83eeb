import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTarget } from './request-target.ts'

test('what is ours is taken out, the rest goes on as it came', () => {
  const target = parseTarget(
    '/?query=SELECT+1%2C%202&user=u%40x&password=p+%26&session_id=s%201&session_timeout=60&param_a=%00%ff&x=1',
  )
  assert.deepEqual(target.queries, ['SELECT 1, 2'])
  assert.equal(target.user, 'u@x')
  assert.equal(target.password, 'p &')
  assert.equal(target.sessionId, 's 1')
  assert.equal(target.forwarded, '/?query=SELECT+1%2C%202&session_timeout=60&param_a=%00%ff&x=1')
})

test('a name that is written with escapes is known as well', () => {
  const target = parseTarget('/?%75ser=a&passw%6Frd=b&session%5Fid=c&qu%65ry=d')
  assert.deepEqual([target.user, target.password, target.sessionId, target.queries], ['a', 'b', 'c', ['d']])
  assert.equal(target.forwarded, '/?qu%65ry=d')
})

test('of a parameter given twice the first counts, and none of the secret ones goes on', () => {
  const target = parseTarget('/?password=a&password=b&user=&user=c&query=1&query=2&decompress=0&decompress=1')
  assert.deepEqual([target.password, target.user, target.queries], ['a', '', ['1', '2']])
  assert.equal(target.hasCompressedBody, false)
  assert.equal(target.forwarded, '/?query=1&query=2&decompress=0&decompress=1')
})

test('edges', () => {
  assert.deepEqual(
    ['/', '/?', '/?&&', '/?a', '/?a=&=b&', '/ping?x=1', '/?query', '/?a=b?c=d'].map((url) => {
      const { path, forwarded, queries } = parseTarget(url)
      return [path, forwarded, queries]
    }),
    [
      ['/', '/', []],
      ['/', '/', []],
      ['/', '/', []],
      ['/', '/?a', []],
      ['/', '/?a=', []],
      ['/ping', '/?x=1', []],
      ['/', '/?query', ['']],
      ['/', '/?a=b?c=d', []],
    ],
  )
})

test('what is no escape, or no UTF-8, is read as the replica reads it', () => {
  for (const search of ['query=100%+%zz%ff', 'query=--%0AINSERT+%e9', 'query=%', '%ffquery=1&query=%c3%bc']) {
    assert.deepEqual(parseTarget(`/?${search}`).queries, new URLSearchParams(search).getAll('query'))
  }
})

test('switches', () => {
  const isSequential = (value: string) => parseTarget(`/?select_sequential_consistency=${value}`).isSequential
  assert.deepEqual(['1', 'true', '2'].map(isSequential), [true, true, true])
  assert.deepEqual(['0', 'false', 'False', ''].map(isSequential), [false, false, false, false])
  assert.equal(parseTarget('/?decompress=1').hasCompressedBody, true)
  assert.equal(parseTarget('/?decompress=1').forwarded, '/?decompress=1')
})
