import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

export type ScramDigest = 'sha256' | 'sha512'

/** The server's side of SCRAM (RFC 5802), without channel binding. */
export interface ScramServer {
  /** The server's next message; undefined = the client is refused. */
  next(message: string): string | undefined
  readonly isDone: boolean
}

export function createScramServer(digest: ScramDigest, passwordOf: (user: string) => string | undefined) {
  const hmac = (key: Buffer, text: string): Buffer => createHmac(digest, key).update(text).digest()
  const salt = randomBytes(16)
  let salted: Buffer | undefined
  let nonce = ''
  let exchanged = ''
  let isDone = false

  const first = (message: string): string | undefined => {
    const bare = /^n,[^,]*,(.*)$/s.exec(message)?.[1]
    const fields = fieldsOf(bare ?? '')
    const user = fields.get('n')?.replaceAll('=2C', ',').replaceAll('=3D', '=')
    const password = passwordOf(user ?? '')
    if (bare === undefined || fields.get('r') === undefined || password === undefined) return undefined
    salted = pbkdf2Sync(password, salt, iterations, digest === 'sha256' ? 32 : 64, digest)
    nonce = `${fields.get('r')}${randomBytes(12).toString('hex')}`
    const answer = `r=${nonce},s=${salt.toString('base64')},i=${iterations}`
    exchanged = `${bare},${answer}`
    return answer
  }
  const last = (message: string, key: Buffer): string | undefined => {
    const fields = fieldsOf(message)
    const withoutProof = message.slice(0, message.lastIndexOf(',p='))
    const proof = Buffer.from(fields.get('p') ?? '', 'base64')
    const stored = createHash(digest).update(hmac(key, 'Client Key')).digest()
    const all = `${exchanged},${withoutProof}`
    const signature = hmac(stored, all)
    // Older releases of librdkafka send their own nonce twice, which real brokers have accepted for years.
    const isSameNonce = fields.get('r')?.endsWith(nonce) === true
    if (!isSameNonce || proof.length !== signature.length) return undefined
    const clientKey = Buffer.from(proof.map((byte, at) => byte ^ (signature[at] ?? 0)))
    if (!createHash(digest).update(clientKey).digest().equals(stored)) return undefined
    isDone = true
    return `v=${hmac(hmac(key, 'Server Key'), all).toString('base64')}`
  }

  return {
    next: (message) => (salted === undefined ? first(message) : last(message, salted)),
    get isDone() {
      return isDone
    },
  } satisfies ScramServer
}

const iterations = 4096

const fieldsOf = (message: string): Map<string, string> =>
  new Map(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]))
