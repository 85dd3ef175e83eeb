import { createHash, createHmac } from 'node:crypto'
import type { AwsKeys } from '../aws/assumed-role.ts'

const lifetimeSeconds = 900

/**
 * The token with which MSK authenticates IAM principals through OAUTHBEARER: the URL of the action
 * `kafka-cluster:Connect`, signed with SigV4 in its query, in base64url.
 */
export function signMskToken(keys: AwsKeys, region: string, nowMs: number): string {
  const host = `kafka.${region}.amazonaws.com`
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const scope = `${day}/${region}/kafka-cluster/aws4_request`
  const query = [
    ['Action', 'kafka-cluster:Connect'],
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${keys.accessKeyId}/${scope}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(lifetimeSeconds)],
    ...(keys.sessionToken === undefined ? [] : [['X-Amz-Security-Token', keys.sessionToken]]),
    ['X-Amz-SignedHeaders', 'host'],
  ]
    .map(([name, value]) => `${name}=${escapeUri(value ?? '')}`)
    .join('&')
  const request = ['GET', '/', query, `host:${host}`, '', 'host', sha256('')].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')
  const key = [day, region, 'kafka-cluster', 'aws4_request'].reduce<string | Buffer>(
    (parent, part) => hmac(parent, part),
    `AWS4${keys.secretAccessKey}`,
  )
  const signature = hmac(key, text).toString('hex')
  // The agent is not signed; MSK wants one.
  const url = `https://${host}/?${query}&X-Amz-Signature=${signature}&User-Agent=granary`
  return Buffer.from(url).toString('base64url')
}

/** The region in the name of an MSK broker; brokers behind other names are taken for the default region. */
export function regionOf(brokers: readonly string[]): string {
  const pattern = /\.kafka(?:-serverless)?\.([a-z]{2}(?:-[a-z]+)+-\d)\.(?:amazonaws|vpce)\b/
  const found = brokers.map((broker) => pattern.exec(broker)?.[1]).find((region) => region !== undefined)
  return found ?? 'us-east-1'
}

const escapeUri = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
