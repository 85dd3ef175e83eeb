import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectingDictionaries,
  connectingEngines,
  connectingFunctions,
} from '../../../../../test/support/connecting-statements.ts'
import { addressText } from '../../../../lib/egress/address.ts'
import { readEgressList } from '../../../../lib/egress/list.ts'
import { findRefusedHost } from './literal-hosts.ts'

const found = (sql: string, list = 'public'): string | null => {
  const address = findRefusedHost(sql, readEgressList(list))
  return address === null ? null : addressText(address)
}

test('addresses in what connects are found in every spelling', () => {
  const hosts = ['127.0.0.1', 'localhost', 'a.localhost', '2130706433', '0x7f.1', '127.1', '017700000001']
  for (const host of hosts) assert.equal(found(`SELECT * FROM url('http://${host}:80/x')`), '127.0.0.1', host)
  assert.equal(found(`SELECT * FROM url('http://0/')`), '0.0.0.0')
  assert.equal(found(`SELECT * FROM url('http://u:p@127.0.0.1/x')`), '127.0.0.1')
  assert.equal(found(`SELECT * FROM url('http://[::ffff:127.0.0.1]/')`), '::ffff:7f00:1')
  assert.equal(found(`SELECT * FROM "ur\\x6c"('http://127.0.0.1/')`), '127.0.0.1')
  assert.equal(found(`SELECT * FROM remote('a.example,10.0.0.1:9000', system.one)`), '10.0.0.1')
})

test('all that connects is known', () => {
  const all = [connectingFunctions, connectingEngines, connectingDictionaries].flatMap((make) =>
    make('10.1.2.3', 7),
  )
  for (const { name, setup = [], sql } of all) {
    const text = [...setup, sql].find((each) => each.includes('10.1.2.3'))
    if (text !== undefined) assert.equal(found(text), '10.1.2.3', name)
  }
})

test('what the list holds, what is public, and what is only data passes', () => {
  assert.equal(found(`SELECT * FROM url('http://10.0.0.1/')`, '10.0.0.0/8'), null)
  assert.equal(found(`SELECT * FROM url('http://1.1.1.1/')`), null)
  assert.equal(found(`SELECT * FROM url('http://example.com/10.0.0.1')`), null)
  assert.equal(found(`SELECT '127.0.0.1' FROM t`), null)
  assert.equal(found(`SELECT url, source FROM t WHERE source = '10.0.0.1' AND url LIKE '%page 5'`), null)
  assert.equal(
    found(`SELECT cutURLParameter(url, 'id'), 'page 5' FROM url('http://1.1.1.1/') WHERE a = '0'`),
    null,
  )
})

test('a statement of the product may name the endpoints that it was given, and no others', () => {
  const granted = [{ address: [127, 0, 0, 1] }]
  const list = readEgressList('public')
  assert.equal(findRefusedHost(`SELECT * FROM s3('http://127.0.0.1:9000/b/x')`, list, granted), null)
  const other = `SELECT * FROM s3('http://127.0.0.1:9000/b/x'), url('http://10.0.0.1/')`
  assert.deepEqual(findRefusedHost(other, list, granted), [10, 0, 0, 1])
})
