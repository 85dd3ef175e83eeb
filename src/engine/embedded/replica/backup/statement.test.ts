import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackupLocation } from '../../../backup.ts'
import { explainEngineFailure } from '../../backup/reasons.ts'
import type { EngineTarget } from '../../protocol.ts'
import { statementOf } from './statement.ts'

const what = 'ALL EXCEPT DATABASES system, information_schema, INFORMATION_SCHEMA'
const bucket: EngineTarget = {
  ...{ kind: 's3', url: 'https://h/b/c1', accessKeyId: 'key', secretAccessKey: "se'c\\ret" },
  ...{ sessionToken: '', roleArn: '', roleSessionName: '' },
}

test('local backups are told by their folders', () => {
  const target = { kind: 'local', folder: 'b2' } as const
  const base = { kind: 'local', folder: 'b1' } as const
  const common = { id: 'b2', target, functions: [], folders: [] }
  assert.equal(
    statementOf({ ...common, kind: 'backup', base }),
    `BACKUP ${what} TO File('b2') SETTINGS id = 'b2', base_backup = File('b1')`,
  )
  assert.equal(
    statementOf({ ...common, kind: 'restore', base: null }),
    `RESTORE ${what} FROM File('b2') SETTINGS id = 'b2'`,
  )
})

test('the keys of a bucket stand in a statement once, and quoted', () => {
  const base = { ...bucket, url: 'https://h/b/c0' }
  const text = statementOf({ id: 'c1', kind: 'backup', target: bucket, base, functions: [], folders: [] })
  assert.ok(text.includes("TO S3('https://h/b/c1', 'key', 'se\\'c\\\\ret')"))
  assert.ok(text.includes("base_backup = S3('https://h/b/c0'), use_same_s3_credentials_for_base_backup = 1"))
  const keyless = { ...bucket, accessKeyId: '', secretAccessKey: '' }
  const role = { ...keyless, roleArn: 'arn:x', roleSessionName: 'me' }
  const byRole = statementOf({
    id: 'c1',
    kind: 'backup',
    target: role,
    base: null,
    functions: [],
    folders: [],
  })
  assert.ok(
    byRole.includes("S3('https://h/b/c1', extra_credentials(role_arn = 'arn:x', role_session_name = 'me'))"),
  )
  const short = { ...bucket, sessionToken: 'token' }
  const byToken = statementOf({
    id: 'c1',
    kind: 'restore',
    target: short,
    base: null,
    functions: [],
    folders: [],
  })
  assert.ok(byToken.includes("'se\\'c\\\\ret', session_token = 'token')"))
})

test('what the engine says becomes a reason for a person, without the secret', () => {
  const place: BackupLocation = {
    ...{ kind: 's3', url: 'https://h:9000/bucket1/f/', accessKeyId: 'key', secretAccessKey: 'hidden-one' },
    ...{ roleArn: '', roleSessionName: '' },
  }
  const explain = (type: string, message: string, at: BackupLocation = place) => {
    const { message: text, retryable } = explainEngineFailure(
      { code: 1, type, message },
      { backupId: 'c2', baseId: 'c1', place: at },
    )
    return [text, retryable]
  }
  const told = [
    explain('BACKUP_NOT_FOUND', "Backup File('c1') not found", { kind: 'local' }),
    explain('BACKUP_NOT_FOUND', "Backup S3('https://h:9000/bucket1/f/c2', 'key', '[HIDDEN]') not found"),
    explain('S3_ERROR', 'Message: The specified bucket does not exist, bucket nobucket, key f/c1/.lock'),
    explain('S3_ERROR', 'HTTP response code: 403, error type: ACCESS_DENIED. Please check your credentials'),
    explain('S3_ERROR', 'Poco::Exception. Code: 1000, Connection refused. error type: NETWORK_CONNECTION'),
    explain(
      'CANNOT_WRITE_TO_FILE_DESCRIPTOR',
      'Cannot write: , errno: 28, strerror: No space left on device',
    ),
    explain('STRANGE', 'about hidden-one\nand a stack'),
  ]
  assert.deepEqual(told, [
    ['the backup that this one stands on is gone: c1', false],
    ['the backup is gone: c2', false],
    ['there is no bucket bucket1 at h:9000 (NoSuchBucket)', false],
    ['the keys do not allow this in bucket bucket1 at h:9000 (AccessDenied)', false],
    ['h:9000 cannot be reached: nothing listens there', true],
    ['the disk is full', false],
    ['the engine says: about [hidden] (STRANGE)', false],
  ])
})
