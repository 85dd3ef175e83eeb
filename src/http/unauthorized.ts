import { AppError } from '../domain/errors.ts'
import type { KeyKind } from '../domain/key/types.ts'

export class Unauthorized extends AppError {
  readonly challenge: string
  constructor(message: string, challenge: string) {
    super('UNAUTHORIZED', message)
    this.challenge = challenge
  }
}

/** How a caller proves who it is. */
export interface Scheme {
  noun: string
  challenge: string
}

export const schemes: Record<KeyKind, Scheme & { example: string }> = {
  management: {
    noun: 'key',
    example: 'Basic base64(keyId:keySecret)',
    challenge: 'Basic realm="granary", charset="UTF-8"',
  },
  dashboard: { noun: 'token', example: 'Bearer <token>', challenge: 'Bearer realm="granary"' },
}

/** No browser knows this scheme, so none asks its user for a password; the page shows its own form. */
export const challenge = 'Session realm="granary"'

/** For a session, and for signing in: by the kind of the key. */
export const sessionSchemes: Record<KeyKind, Scheme> = {
  management: { noun: 'key', challenge },
  dashboard: { noun: 'token', challenge },
}

export const unauthorized = (scheme: Pick<Scheme, 'challenge'>, message: string) =>
  new Unauthorized(message, scheme.challenge)
