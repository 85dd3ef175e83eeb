import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import type { EngineTarget, WriterTask } from '../../protocol.ts'

/** The engine's default is a thousand attempts, which take hours; the control plane retries failed jobs, too. */
const bucketAttempts = 8

/** Leaves out the system tables, which the engine creates itself. */
export function statementOf({ id, kind, target, base }: WriterTask): string {
  const settings = [
    `id = ${quoteString(id)}`,
    ...(base === null ? [] : [`base_backup = ${placeText(base, true)}`]),
    // The base then uses the target's keys, which appear neither twice in the statement nor in the manifest.
    ...(base?.kind === 's3' ? ['use_same_s3_credentials_for_base_backup = 1'] : []),
    ...(target.kind === 's3' ? [`backup_restore_s3_retry_attempts = ${bucketAttempts}`] : []),
  ]
  const what = 'ALL EXCEPT DATABASES system, information_schema, INFORMATION_SCHEMA'
  const verb = kind === 'backup' ? `BACKUP ${what} TO` : `RESTORE ${what} FROM`
  return `${verb} ${placeText(target, false)} SETTINGS ${settings.join(', ')}`
}

function placeText(place: EngineTarget, withoutKeys: boolean): string {
  if (place.kind === 'local') return `File(${quoteString(place.folder)})`
  const { url, accessKeyId, secretAccessKey, sessionToken, roleArn, roleSessionName } = place
  if (withoutKeys) return `S3(${quoteString(url)})`
  const session = roleSessionName === '' ? '' : `, role_session_name = ${quoteString(roleSessionName)}`
  const parts = [
    quoteString(url),
    ...(accessKeyId === '' ? [] : [quoteString(accessKeyId), quoteString(secretAccessKey)]),
    ...(sessionToken === '' ? [] : [`session_token = ${quoteString(sessionToken)}`]),
    ...(roleArn === '' ? [] : [`extra_credentials(role_arn = ${quoteString(roleArn)}${session})`]),
  ]
  return `S3(${parts.join(', ')})`
}
