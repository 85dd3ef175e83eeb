import { createHash } from 'node:crypto'
import { Option } from 'commander'
import { readSecret } from './input.ts'
import type { CliIo } from './io.ts'
import { defined } from './options.ts'
import type { Form } from './output.ts'
import { onlyOnce } from './show/state.ts'

/** How users give their own password; without these flags the server makes one. */
export interface PasswordFlags {
  hash?: string
  stdin?: true
}

export const passwordOptions = [
  new Option('--stdin', 'read the new password from standard input'),
  new Option('--hash <base64>', 'base64 of the SHA-256 of the new password').conflicts('stdin'),
]

/** Only the hash of a user's own password leaves this machine; undefined = none was given. */
export async function ownPasswordHash(
  io: CliIo,
  { hash, stdin }: PasswordFlags,
): Promise<string | undefined> {
  if (!stdin) return hash
  return createHash('sha256')
    .update(await readSecret(io, 'password'))
    .digest('base64')
}

export async function newPasswordBody(
  flags: PasswordFlags,
  { io }: { io: CliIo },
): Promise<{ newPasswordHash?: string }> {
  return defined({ newPasswordHash: await ownPasswordHash(io, flags) })
}

/** A user who sent a hash already has the password, so the answer has none. */
export function newPasswordText(form: Form, { password }: { password: string }, whose: string): string {
  if (password === '') return `${whose} has the new password`
  return `${form.block([['password', password]])}\n\n${onlyOnce}`
}
