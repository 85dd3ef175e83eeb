import type { ObjectStorageSource, PipeSecrets } from '../../domain/pipe/types.ts'
import type { EgressPolicy } from '../../lib/egress/guard.ts'
import { type AwsKeys, assumedRole, keysOfSecret } from '../aws/assumed-role.ts'
import type { BucketPlace } from './place.ts'

/** The current keys; null = requests are sent unsigned, as to a public bucket. */
export type KeysOf = (() => Promise<AwsKeys>) | null

export interface KeyParts {
  source: ObjectStorageSource
  secrets: PipeSecrets
  place: BucketPlace
  egress: EgressPolicy
}

/** A role is assumed with the given access key, or with this machine's own identity where there is none. */
export function keysOf({ source, secrets, place, egress }: KeyParts): KeysOf {
  const own = keysOfSecret(secrets.accessKey)
  const { endpoint, region } = place
  if (source.authentication === 'IAM_ROLE') {
    // Stores other than Amazon's serve roles at the endpoint of their buckets.
    const isAmazon = /\.amazonaws\.com(\.cn)?$/i.test(endpoint)
    return assumedRole({ roleArn: source.iamRole, own, region, egress, ...(isAmazon ? {} : { endpoint }) })
  }
  return own === undefined ? null : async () => own
}
