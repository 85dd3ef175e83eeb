import type { TOptional } from 'typebox'
import { type Bound, textLength } from '../domain/pipe/limits.ts'
import { closed, optional, type TSchema, Type, text } from './schema.ts'

/** The same fields, all optional, as a change sends them. */
export function optionals<T extends Record<string, TSchema>>(fields: T) {
  const entries = Object.entries(fields).map(([name, schema]) => [name, optional(schema)])
  return Object.fromEntries(entries) as { [K in keyof T]: TOptional<T[K]> }
}

/** Texts that may be empty: "" means no value, in answers as in requests. */
export const word = (description: string) => text(description, { maxLength: textLength.identifier })
export const url = (description: string) => text(description, { maxLength: textLength.url })
export const secret = (description: string, maxLength: number = textLength.secret) =>
  Type.String({ description, maxLength, writeOnly: true })
export const certificate = (description: string) => text(description, { maxLength: textLength.certificate })

export const iamRole = word('The role to assume, for the authentication IAM_ROLE.')
export const accessKey = closed(
  { accessKeyId: secret('Its id.'), secretKey: secret('The secret itself.') },
  { description: 'For the authentication IAM_USER; with IAM_ROLE, the key that assumes the role.' },
)
export const userPassword = closed({ username: secret('User name.'), password: secret('Password.') })

export const whole = (bound: Bound, description: string) =>
  Type.Integer({
    minimum: bound.min,
    maximum: bound.max,
    description: `${description} Default ${bound.default}.`,
  })
