import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackupObservation } from '../../backup.ts'
import { createBackupJobs, type RunningJob } from './jobs.ts'

const progress = { bytes: 1, totalBytes: 2, files: 0, totalFiles: 0 }
const done: BackupObservation = { state: 'done', sizeInBytes: 2, files: 1 }
const untilEnded = ({ signal }: RunningJob) =>
  new Promise<BackupObservation>((resolve) => {
    signal.addEventListener('abort', () => resolve({ state: 'failed', reason: signal.reason.message }))
  })

test('a job runs once, tells how far it is, and is remembered when it was done', async () => {
  const ends: string[] = []
  const jobs = createBackupJobs((name) => ends.push(name))
  assert.deepEqual(jobs.observe('a'), { state: 'absent' })
  const end = Promise.withResolvers<BackupObservation>()
  let runs = 0
  const run = ({ tell }: RunningJob) => {
    runs += 1
    tell({ state: 'running', progress })
    return end.promise
  }
  jobs.begin('a', run)
  jobs.begin('a', run)
  assert.deepEqual(jobs.observe('a'), { state: 'running', progress })
  end.resolve(done)
  await end.promise
  await jobs.end('a', 'late')
  assert.deepEqual(jobs.observe('a'), done)
  jobs.begin('a', run)
  assert.deepEqual([runs, ends], [1, ['a']])
  jobs.forget('a')
  jobs.begin('a', run)
  assert.equal(runs, 2)
})

test('a job that is ended fails with that reason and may be begun anew; one that is forgotten is absent at once', async () => {
  const jobs = createBackupJobs(() => {})
  jobs.begin('a', untilEnded)
  await jobs.end('a', 'enough')
  assert.deepEqual(jobs.observe('a'), { state: 'failed', reason: 'enough' })
  jobs.begin('a', untilEnded)
  assert.equal(jobs.observe('a').state, 'running')
  jobs.forget('a')
  assert.deepEqual(jobs.observe('a'), { state: 'absent' })
})

test('closing ends every job, and none begins any more', async () => {
  const jobs = createBackupJobs(() => {})
  for (const name of ['a', 'b']) jobs.begin(name, untilEnded)
  await jobs.close('stopped')
  for (const name of ['a', 'b']) assert.deepEqual(jobs.observe(name), { state: 'failed', reason: 'stopped' })
  assert.throws(() => jobs.begin('c', untilEnded), /being closed/)
})
