import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSecretBox } from './secret-box.ts'

const box = createSecretBox(new Uint8Array(32).fill(1))
const otherBox = createSecretBox(new Uint8Array(32).fill(2))
const text = fc.string({ unit: 'grapheme' })

test('what is sealed opens again under its purpose, and under that alone', () => {
  fc.assert(
    fc.property(text, text, text, (plain, purpose, otherPurpose) => {
      const sealed = box.seal(plain, purpose)
      assert.equal(box.open(sealed, purpose), plain)
      if (otherPurpose !== purpose) assert.throws(() => box.open(sealed, otherPurpose))
      assert.throws(() => otherBox.open(sealed, purpose))
    }),
  )
})

test('sealed text shows nothing of the secret, and the same secret looks different each time', () => {
  const secret = 'a-secret-that-must-not-be-seen'
  const sealed = Array.from({ length: 100 }, () => box.seal(secret, 'pipe:1'))
  assert.equal(new Set(sealed).size, 100)
  for (const each of sealed) {
    assert.ok(!Buffer.from(each.slice(3), 'base64').includes(secret))
    assert.ok(!each.includes(secret))
  }
})

test('one changed bit anywhere, or a missing end, and it no longer opens', () => {
  const sealed = Buffer.from(box.seal('secret', 'p').slice(3), 'base64')
  const open = (bytes: Uint8Array) => box.open(`v1:${Buffer.from(bytes).toString('base64')}`, 'p')
  assert.equal(open(sealed), 'secret')
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.throws(() => open(changed), `bit ${bit}`)
  }
  for (let length = 0; length < sealed.length; length += 1) {
    assert.throws(() => open(sealed.subarray(0, length)), `the first ${length} bytes`)
  }
  assert.throws(() => open(Buffer.concat([sealed, Buffer.alloc(1)])))
})

test('a shortened seal is refused, even where its beginning is right', () => {
  // An empty text gives only nonce and tag; a tag of four bytes could be guessed quickly.
  const sealed = Buffer.from(box.seal('', 'p').slice(3), 'base64')
  for (const tagLength of [4, 8, 12, 13, 14, 15]) {
    const short = sealed.subarray(0, 12 + tagLength).toString('base64')
    assert.throws(() => box.open(`v1:${short}`, 'p'), `${tagLength}`)
  }
})

test('text of another form is refused as such', () => {
  for (const sealed of ['', 'plain', 'v2:AAAA', box.seal('x', 'p').slice(3)]) {
    assert.throws(() => box.open(sealed, 'p'), /unknown form/)
  }
})

test('a hash is the same for the same secret and key, and matches that secret alone', () => {
  fc.assert(
    fc.property(text, text, (secret, other) => {
      const hash = box.hash(secret)
      assert.equal(box.hash(secret), hash)
      assert.notEqual(otherBox.hash(secret), hash)
      assert.equal(box.matches(secret, hash), true)
      assert.equal(otherBox.matches(secret, hash), false)
      assert.equal(box.matches(other, hash), other === secret)
      const digest = createHash('sha256').update(secret).digest()
      assert.equal(box.hashDigest(digest), hash)
      // Without the key, the digest of a guess reveals nothing.
      assert.notEqual(digest.toString('base64'), hash)
    }),
  )
})

test('nothing matches a hash that is none', () => {
  const hash = box.hash('secret')
  for (const broken of ['', 'x', hash.slice(0, -4), `AAAA${hash}`, randomBytes(32).toString('base64')]) {
    assert.equal(box.matches('secret', broken), false, broken)
    assert.equal(box.matches('', broken), false, broken)
  }
})

test('only a whole SHA-256 is taken for one', () => {
  for (const length of [0, 31, 33, 64]) assert.throws(() => box.hashDigest(Buffer.alloc(length)), /32 bytes/)
})
