import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeOnce } from './credentials.ts'

/** The key that seals secrets: from the environment, or from a file that only its owner can read. */
export function loadSecretKey({
  dataDir,
  secretKey,
}: {
  dataDir: string
  secretKey: Uint8Array | null
}): Uint8Array {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (secretKey) return secretKey
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) writeOnce(file, `${randomBytes(32).toString('base64')}\n`)
  if ((statSync(file).mode & 0o077) !== 0) throw new Error(`${file} can be read by others: chmod 600 it`)
  const bytes = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (bytes.length !== 32) throw new Error(`${file} is damaged: it must hold base64 of 32 bytes`)
  return new Uint8Array(bytes)
}
