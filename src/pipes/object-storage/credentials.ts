import type { ObjectStorageSource, PipeSecrets } from '../../domain/pipe/types.ts'
import { createGuardedAgents, type EgressPolicy } from '../../lib/egress/guard.ts'
import type { BucketPlace } from './place.ts'

/** Keys for a bucket and its queue. A role's keys come with a session token and expire. */
export interface BucketKeys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** The current keys; null = requests are sent unsigned, as to a public bucket. */
export type KeysOf = (() => Promise<BucketKeys>) | null

export interface KeyParts {
  source: ObjectStorageSource
  secrets: PipeSecrets
  place: BucketPlace
  egress: EgressPolicy
}

export const patience = { connectionTimeout: 10_000, requestTimeout: 60_000 }

/** A role is assumed with the given access key, or with this machine's own identity where there is none. */
export function keysOf({ source, secrets, place, egress }: KeyParts): KeysOf {
  const { accessKey } = secrets
  const own =
    accessKey === undefined
      ? undefined
      : { accessKeyId: accessKey.accessKeyId, secretAccessKey: accessKey.secretKey }
  if (source.authentication === 'IAM_ROLE') return assumedRole(source.iamRole, own, place, egress)
  return own === undefined ? null : async () => own
}

function assumedRole(
  roleArn: string,
  own: BucketKeys | undefined,
  { endpoint, region }: BucketPlace,
  egress: EgressPolicy,
): () => Promise<BucketKeys> {
  let held: { keys: BucketKeys; untilMs: number } | null = null
  // Stores other than Amazon's serve roles at the endpoint of their buckets.
  const isAmazon = /\.amazonaws\.com(\.cn)?$/i.test(endpoint)
  return async () => {
    if (held !== null && Date.now() < held.untilMs - renewMs) return held.keys
    const { STSClient, AssumeRoleCommand } = await import('@aws-sdk/nested-clients/sts')
    const sts = new STSClient({
      region,
      maxAttempts: 2,
      requestHandler: { ...patience, ...createGuardedAgents(egress) },
      ...(own === undefined ? {} : { credentials: own }),
      ...(isAmazon ? {} : { endpoint }),
    })
    try {
      const command = new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'granary-pipe' })
      const { Credentials } = await sts.send(command)
      const keys = {
        accessKeyId: Credentials?.AccessKeyId ?? '',
        secretAccessKey: Credentials?.SecretAccessKey ?? '',
        sessionToken: Credentials?.SessionToken ?? '',
      }
      held = { keys, untilMs: Credentials?.Expiration?.getTime() ?? 0 }
      return keys
    } catch (error) {
      throw new RoleRefused(roleArn, error)
    } finally {
      sts.destroy()
    }
  }
}

/** A statement that was begun shortly before the keys expire still ends. */
const renewMs = 20 * 60_000

export class RoleRefused extends Error {
  override name = 'RoleRefused'
  readonly roleArn: string
  constructor(roleArn: string, cause: unknown) {
    super(`the role ${roleArn} cannot be assumed`, { cause })
    this.roleArn = roleArn
  }
}
