import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddress } from './address.ts'
import { isAllowed, readEgressList, refusalText } from './list.ts'

const allows = (list: string, address: string): boolean =>
  isAllowed(readEgressList(list), readAddress(address) ?? [])

test('public addresses are always allowed, others if the list says so', () => {
  const table: [list: string, allowed: string[], refused: string[]][] = [
    ['public', ['1.1.1.1', '2606:4700::1'], ['127.0.0.1', '10.1.1.1', '169.254.169.254', '::1']],
    ['private', ['1.1.1.1', '127.0.0.1', '10.1.1.1', '::1', 'fd12::1'], ['169.254.169.254', 'fe80::1']],
    ['any', ['1.1.1.1', '127.0.0.1', '169.254.169.254', 'fe80::1', '255.255.255.255'], []],
    ['private, any', ['169.254.169.254'], []],
    ['any,private', ['169.254.169.254'], []],
    [
      '10.0.0.0/8, fd00::/8',
      ['10.9.9.9', '::ffff:10.9.9.9', 'fd12::1'],
      ['127.0.0.1', '192.168.0.1', 'fc00::1'],
    ],
    ['169.254.169.254', ['169.254.169.254'], ['169.254.169.253', '127.0.0.1']],
    ['0.0.0.0/0', ['127.0.0.1', '169.254.169.254', '::ffff:127.0.0.1'], ['::1', 'fe80::1']],
    ['::/0', ['::1', 'fe80::1'], ['127.0.0.1']],
  ]
  for (const [list, allowed, refused] of table) {
    for (const address of allowed) assert.equal(allows(list, address), true, `${list}: ${address}`)
    for (const address of refused) assert.equal(allows(list, address), false, `${list}: ${address}`)
  }
})

test('a list that cannot be read is refused', () => {
  for (const text of ['localhost', '10.0.0.0/8;::1', '10.0.0.0/99', 'all', '127.0.0.1,,::1'])
    assert.throws(() => readEgressList(text), /must be addresses/, text)
})

test('a refusal names the address and the option', () => {
  assert.equal(
    refusalText('SQL', [127, 0, 0, 1], 80, 'GRANARY_EGRESS_ALLOW'),
    'SQL may not connect to 127.0.0.1 port 80: private addresses are refused unless GRANARY_EGRESS_ALLOW holds them',
  )
})
