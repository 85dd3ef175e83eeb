/** A sign-in that lasts: a browser holds its secret in a cookie, and it may do what its key may do. */
export interface SessionRecord {
  id: string
  organizationId: string
  keyId: string
  /** From where the key was used to sign in. */
  ipAddress: string
  userAgent: string
  createdAtMs: number
  /** Accurate to the minute. */
  usedAtMs: number
  /** Moves with each use; the key may end earlier. */
  expireAtMs: number
}

/** How long a session lasts after its last use. */
export const sessionIdleMs = 30 * 24 * 60 * 60 * 1000

/** A further sign-in with the same key ends the session of that key that was not used for longest. */
export const maxSessionsPerKey = 100

/** Letters and digits; 43 of them hold 256 bits. */
export const sessionSecretLength = 43
