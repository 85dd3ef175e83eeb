import { createHash } from 'node:crypto'
import { Option } from 'commander'
import { readSecret } from './input.ts'
import type { CliIo } from './io.ts'
import { defined } from './options.ts'
import type { Form } from './output.ts'
import { onlyOnce } from './show/state.ts'

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

/** Whoever sent a hash has the password already. */
export function newPasswordText(form: Form, { password }: { password: string }, whose: string): string {
  if (password === '') return `${whose} has the new password`
  return `${form.block([['password', password]])}\n\n${onlyOnce}`
}
