import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createIpMatcher, isIpSource } from './ip-list.ts'

test('addresses and ranges of both families are sources', () => {
  for (const source of [
    '0.0.0.0/0',
    '10.0.0.1',
    '10.0.0.1/32',
    '10.1.2.3/8',
    '255.255.255.255',
    '::/0',
    '::',
    '2001:db8::1',
    '2001:DB8::/33',
    '::1/128',
    '::ffff:1.2.3.4',
    '::ffff:1.2.3.0/120',
  ]) {
    assert.ok(isIpSource(source), source)
  }
})

test('anything else is not', () => {
  for (const source of [
    '',
    ' ',
    ' 10.0.0.1',
    '10.0.0.1\n',
    '10.0.0.0/8\n',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '::/129',
    '::1::',
    '::/0x10',
    'fe80::1%eth0',
    'fe80::%eth0/64',
    'anywhere',
    'localhost',
    '/8',
  ]) {
    assert.ok(!isIpSource(source), JSON.stringify(source))
  }
  assert.throws(() => createIpMatcher(['10.0.0.1', '10.0.0.0/33']), /not an address/)
})

test('an empty list matches nobody', () => {
  const matches = createIpMatcher([])
  for (const address of ['127.0.0.1', '::1', '0.0.0.0', '::']) assert.equal(matches(address), false)
})

const cases: [source: string, inside: string[], outside: string[]][] = [
  ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255', '::ffff:8.8.8.8'], ['::1', '::', '2001:db8::1']],
  ['10.1.2.3/32', ['10.1.2.3', '::ffff:10.1.2.3', '::FFFF:a01:203'], ['10.1.2.2', '10.1.2.4']],
  ['10.1.2.3', ['10.1.2.3', '0:0:0:0:0:ffff:10.1.2.3'], ['10.1.2.2', '10.1.2.4', '::10.1.2.3']],
  ['10.1.2.3/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['10.0.0.128/25', ['10.0.0.128', '10.0.0.255'], ['10.0.0.127', '10.0.1.0']],
  ['10.0.0.4/31', ['10.0.0.4', '10.0.0.5'], ['10.0.0.3', '10.0.0.6']],
  ['::/0', ['::', '::1', 'ffff::', 'fe80::1%eth0'], ['1.2.3.4', '::ffff:1.2.3.4']],
  ['2001:db8::/33', ['2001:db8:7fff::'], ['2001:db8:8000::', '2001:db7:ffff::']],
  ['fe80::1', ['fe80::1', 'fe80::1%eth0', 'FE80:0::1'], ['fe80::2', 'fe80::2%eth0']],
  ['::1/128', ['::1', '0:0:0:0:0:0:0:1'], ['::2', '127.0.0.1']],
  ['::ffff:10.0.0.0/104', ['10.255.255.255', '::ffff:10.0.0.1'], ['11.0.0.0', '::a00:1']],
  ['::ffff:10.1.2.3', ['10.1.2.3'], ['10.1.2.4']],
  ['::ffff:0:0/95', ['::fffe:1:1'], ['10.1.2.3', '::fffd:1:1']],
]

test('a source matches what lies inside it and nothing else', () => {
  for (const [source, inside, outside] of cases) {
    const matches = createIpMatcher([source])
    for (const address of inside) assert.equal(matches(address), true, `${address} in ${source}`)
    for (const address of outside) assert.equal(matches(address), false, `${address} in ${source}`)
  }
})

test('one matching source is enough', () => {
  const matches = createIpMatcher(['192.0.2.7', '2001:db8::/32', '10.0.0.0/8'])
  for (const address of ['192.0.2.7', '2001:db8::5', '10.9.9.9'])
    assert.equal(matches(address), true, address)
  for (const address of ['192.0.2.8', '2001:db9::', '172.16.0.1'])
    assert.equal(matches(address), false, address)
})

test('what is not an address matches nothing, not even a list of everything', () => {
  const matches = createIpMatcher(['0.0.0.0/0', '::/0'])
  for (const address of [
    '',
    'localhost',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4%eth0',
    '1.2.3.4:80',
    '[::1]',
    'fe80::1%',
  ]) {
    assert.equal(matches(address), false, address)
  }
})

test('IPv4 ranges agree with arithmetic', () => {
  const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
  const address = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  // Flipping one bit gives neighbours on both sides of the prefix.
  fc.assert(
    fc.property(address, fc.nat(32), fc.nat(31), (base, prefix, bit) => {
      const other = (base ^ (1 << bit)) >>> 0
      const matches = createIpMatcher([`${dotted(base)}/${prefix}`])
      assert.equal(matches(dotted(base)), true)
      assert.equal(matches(dotted(other)), bit < 32 - prefix)
      assert.equal(matches(`::ffff:${dotted(other)}`), bit < 32 - prefix)
    }),
  )
})
