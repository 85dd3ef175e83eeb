import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AddressKind, addressText, isWithin, kindOf, readAddress, readRange } from './address.ts'

const bytesOf = (text: string): number[] => {
  const bytes = readAddress(text)
  assert.ok(bytes, text)
  return bytes
}

const kinds: Record<AddressKind, string[]> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
  ]
    .concat(['100.128.0.0', '128.0.0.0', '223.255.255.255', '192.167.1.1', '198.17.1.1', '168.63.129.17'])
    .concat(['2606:4700::1111', '2a00::1', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1', '2002:101:101::']),
  private: ['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.255']
    .concat(['172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1', '::', '::1', 'fc00::1', 'fdff::1'])
    .concat(['fec0::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:10.0.0.1'])
    .concat(['64:ff9b::10.0.0.1', '64:ff9b:1::1', '2002:7f00:1::', '2002:a00:1::1']),
  special: ['169.254.0.1', '169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', '224.0.0.1']
    .concat([
      '239.255.255.255',
      '240.0.0.1',
      '255.255.255.255',
      '203.0.113.1',
      'fe80::1',
      'febf::1',
      'ff02::1',
    ])
    .concat(['fd00:ec2::254', '2001:db8::1', '2001::1', '::ffff:169.254.169.254', '64:ff9b::169.254.169.254'])
    .concat(['2002:a9fe:a9fe::', '100::1', '4000::1', '64:ff9c::1']),
}

for (const [kind, addresses] of Object.entries(kinds)) {
  test(`addresses that are ${kind}`, () => {
    for (const address of addresses) assert.equal(kindOf(bytesOf(address)), kind, address)
  })
}

const ipv4 = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })
const ipv6 = fc.array(fc.nat(255), { minLength: 16, maxLength: 16 })

test('every address is read as what it is written as', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), (bytes) => assert.deepEqual(bytesOf(addressText(bytes)), bytes)),
  )
})

test('an IPv6 address that stands for an IPv4 one is of the same kind', () => {
  const prefixes = ['::ffff:0:0', '64:ff9b::', '::ffff:0:0:0'].map((text) => bytesOf(text).slice(0, 12))
  fc.assert(
    fc.property(ipv4, fc.constantFrom(...prefixes), ipv6, (bytes, prefix, rest) => {
      assert.equal(kindOf([...prefix, ...bytes]), kindOf(bytes))
      assert.equal(kindOf([0x20, 0x02, ...bytes, ...rest.slice(6)]), kindOf(bytes))
    }),
  )
})

test('a range holds what shares its bits', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), fc.nat(128), fc.nat(127), (bytes, length, flipped) => {
      const bits = Math.min(length, bytes.length * 8)
      const range = readRange(`${addressText(bytes)}/${bits}`)
      assert.ok(range)
      const at = flipped % (bytes.length * 8)
      const other = bytes.map((byte, index) => (index === at >> 3 ? byte ^ (0x80 >> (at & 7)) : byte))
      assert.ok(isWithin(bytes, range))
      assert.equal(isWithin(other, range), at >= bits)
    }),
  )
})

test('what is no address in its usual spelling is none', () => {
  const texts = [
    '',
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x7f.0.0.1',
    '127.1',
    'a.b.c.d',
    ':::',
  ]
  for (const text of [...texts, '::1::', '12345::', 'fe80::1%eth0', '[::1]', '1.2.3.4:80', 'localhost'])
    assert.equal(readAddress(text), null, text)
  for (const text of ['1.2.3.4/33', '::/129', '1.2.3.4/', '/8', '1.2.3.4/-1', '10/8'])
    assert.equal(readRange(text), null, text)
})
