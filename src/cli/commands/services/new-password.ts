import { createHash } from 'node:crypto'
import { Option } from 'commander'
import { usageError } from '../../failure.ts'
import type { CliIo } from '../../io.ts'

/** How a password of one's own is given; without any of these the server makes one. */
export interface PasswordFlags {
  hash?: string
  stdin?: true
}

export const passwordOptions = [
  new Option('--stdin', 'read the new password from standard input'),
  new Option('--hash <base64>', 'base64 of the SHA-256 of the new password').conflicts('stdin'),
]

/** Of a password of one's own only the hash leaves this machine; undefined: none was given. */
export async function ownPasswordHash(
  io: CliIo,
  { hash, stdin }: PasswordFlags,
): Promise<string | undefined> {
  if (!stdin) return hash
  // The first line: what follows it is the line end that tools add.
  const [password = ''] = new TextDecoder().decode(await io.readStdin()).split(/\r?\n/)
  if (password === '') throw usageError('standard input holds no password')
  return createHash('sha256').update(password).digest('base64')
}
