import type { Clock } from '../../lib/clock.ts'
import type { AwsKeys } from './msk-token.ts'

const renewMs = 5 * 60_000

/** The keys of a role that this machine's own identity may assume, renewed before they expire. */
export function assumeRole(role: { roleArn: string; region: string; clock: Clock }): () => Promise<AwsKeys> {
  let held: (AwsKeys & { untilMs: number }) | undefined
  return async () => {
    if (held !== undefined && role.clock.now() < held.untilMs - renewMs) return held
    const { STSClient, AssumeRoleCommand } = await import('@aws-sdk/nested-clients/sts')
    const sts = new STSClient({ region: role.region, maxAttempts: 3 })
    try {
      const { Credentials } = await sts.send(
        new AssumeRoleCommand({ RoleArn: role.roleArn, RoleSessionName: 'granary-pipe' }),
      )
      held = {
        accessKeyId: Credentials?.AccessKeyId ?? '',
        secretAccessKey: Credentials?.SecretAccessKey ?? '',
        sessionToken: Credentials?.SessionToken ?? '',
        untilMs: Credentials?.Expiration?.getTime() ?? 0,
      }
      return held
    } finally {
      sts.destroy()
    }
  }
}
