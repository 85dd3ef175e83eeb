import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackupRecord } from './types.ts'
import { viewBackup } from './view.ts'

const record = (over: Partial<BackupRecord> = {}): BackupRecord => ({
  id: 'b',
  organizationId: 'o',
  serviceId: 's',
  generation: 1,
  startedAtMs: 1_000,
  finishedAtMs: null,
  status: 'in_progress',
  type: 'full',
  reason: '',
  sizeInBytes: 0,
  baseId: null,
  requestedBy: 'user',
  place: 'local',
  damaged: false,
  progress: { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 },
  verification: { status: 'none', checkedAtMs: null, reason: '' },
  backupName: '',
  bucket: { bucketPath: '', iamRoleArn: '', iamRoleSessionName: '' },
  ...over,
})

const progress = (bytes: number, totalBytes: number, files = 0, totalFiles = 0) => ({
  bytes,
  totalBytes,
  files,
  totalFiles,
})
const checking = { status: 'in_progress', checkedAtMs: null, reason: '' } as const

const cases: [name: string, over: Partial<BackupRecord>, percent: number][] = [
  ['nothing is known yet', {}, 0],
  ['by bytes', { progress: progress(43, 100, 9, 10) }, 43],
  ['by files while the bytes are not known', { progress: progress(5, 0, 1, 3) }, 33],
  ['all is written, but it has not ended', { progress: progress(100, 100) }, 99],
  ['more than was expected', { progress: progress(120, 100) }, 99],
  ['done', { status: 'done', finishedAtMs: 2_000 }, 100],
  ['failed half way', { status: 'error', finishedAtMs: 2_000, progress: progress(1, 2) }, 50],
  ['done, and read back', { status: 'done', verification: checking, progress: progress(1, 4) }, 25],
]

for (const [name, over, percent] of cases) {
  test(`percent: ${name}`, () => assert.equal(viewBackup(record(over), 0).progress.percent, percent))
}

test('what a backup does not have is shown as empty', () => {
  const view = viewBackup(record(), 5_600)
  assert.deepEqual([view.finishedAt, view.baseBackupId, view.durationInSeconds], ['', '', 5])
  assert.deepEqual(view.verification, { status: 'none', checkedAt: '', reason: '' })
  const later = viewBackup(
    record({ baseId: 'a', verification: { status: 'good', checkedAtMs: 0, reason: '' } }),
    0,
  )
  assert.equal(later.baseBackupId, 'a')
  assert.equal(later.verification.checkedAt, '1970-01-01T00:00:00.000Z')
})
