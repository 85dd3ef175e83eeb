import { createGuardedAgents, type EgressPolicy } from '../../lib/egress/guard.ts'

/** Keys of AWS, or of a store that speaks its protocols. A role's keys come with a session token and expire. */
export interface AwsKeys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

export interface RoleParts {
  roleArn: string
  /** Who assumes the role; undefined = this machine's own identity. */
  own: AwsKeys | undefined
  region: string
  /** Where roles are assumed; undefined = at Amazon. */
  endpoint?: string
  egress: EgressPolicy
}

export const patience = { connectionTimeout: 10_000, requestTimeout: 60_000 }

/** The keys of a role, which are renewed before they expire. */
export function assumedRole({ roleArn, own, region, endpoint, egress }: RoleParts): () => Promise<AwsKeys> {
  let held: { keys: AwsKeys; untilMs: number } | null = null
  return async () => {
    if (held !== null && Date.now() < held.untilMs - renewMs) return held.keys
    const { STSClient, AssumeRoleCommand } = await import('@aws-sdk/nested-clients/sts')
    const sts = new STSClient({
      region,
      maxAttempts: 2,
      requestHandler: { ...patience, ...createGuardedAgents(egress) },
      ...(own === undefined ? {} : { credentials: own }),
      ...(endpoint === undefined ? {} : { endpoint }),
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

export const keysOfSecret = (
  accessKey: { accessKeyId: string; secretKey: string } | undefined,
): AwsKeys | undefined =>
  accessKey && { accessKeyId: accessKey.accessKeyId, secretAccessKey: accessKey.secretKey }
