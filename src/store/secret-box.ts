import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * How the store keeps secrets. Secrets that must be used again (pipe credentials) are sealed with AES-256-GCM;
 * those that only need to be recognised (key secrets, tokens, passwords) are kept as keyed hashes. Both keys
 * are derived from one secret key, so a stolen database alone reveals nothing.
 */
export interface SecretBox {
  /** `purpose` names the secret and its place; unsealing under another purpose fails. */
  seal(plain: string, purpose: string): string
  open(sealed: string, purpose: string): string
  /** Deterministic, so that the hash can be looked up. */
  hash(secret: string): string
  /** The same hash for a caller who already holds the secret's SHA-256. */
  hashDigest(sha256: Buffer): string
  /** Compares in constant time. */
  matches(secret: string, hashed: string): boolean
}

export function createSecretBox(secretKey: Uint8Array): SecretBox {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secretKey, 'granary', use, 32))
  const sealKey = derive('seal')
  const hashKey = derive('hash')
  // Key and digest both have a fixed length, so a plain hash of the two is a sound keyed hash; every request
  // computes it, and a one-shot hash costs a fifth of an HMAC object.
  const digestHash = (digest: Buffer) => hash('sha256', Buffer.concat([hashKey, digest]), 'buffer')
  const rawHash = (secret: string) => digestHash(hash('sha256', secret, 'buffer'))

  return {
    seal(plain, purpose) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `v1:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`
    },
    open(sealed, purpose) {
      if (!sealed.startsWith('v1:')) throw new Error('a sealed secret has an unknown form')
      const bytes = Buffer.from(sealed.slice(3), 'base64')
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
    hash: (secret) => rawHash(secret).toString('base64'),
    hashDigest: (digest) => {
      if (digest.length !== 32) throw new Error('a SHA-256 has 32 bytes')
      return digestHash(digest).toString('base64')
    },
    matches(secret, hashed) {
      const wanted = Buffer.from(hashed, 'base64')
      const given = rawHash(secret)
      return wanted.length === given.length && timingSafeEqual(wanted, given)
    },
  }
}
