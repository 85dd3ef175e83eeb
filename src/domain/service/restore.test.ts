import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewRestore } from './restore.ts'

const begun = { backupId: 'b', bytes: 0, totalBytes: 0, files: 0, totalFiles: 0, startedAtMs: 1_000 }

test('nothing is estimated until something is done', () => {
  assert.deepEqual(viewRestore(begun, 60_000), {
    ...{ backupId: 'b', bytesDone: 0, bytesTotal: 0, filesDone: 0, filesTotal: 0 },
    ...{ startedAt: '1970-01-01T00:00:01.000Z', estimateSeconds: null },
  })
  const quick = { ...begun, bytes: 50, totalBytes: 100 }
  assert.equal(viewRestore(quick, 2_000).estimateSeconds, null)
})

test('the rest is estimated by the speed so far, and what is done is never more than all', () => {
  const quarter = { ...begun, bytes: 25, totalBytes: 100, files: 1, totalFiles: 4 }
  assert.equal(viewRestore(quarter, 11_000).estimateSeconds, 30)
  const over = viewRestore({ ...quarter, bytes: 120, files: 5 }, 11_000)
  assert.deepEqual([over.bytesDone, over.filesDone, over.estimateSeconds], [100, 4, 0])
})
