import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readEgressList } from '../../../lib/egress/list.ts'
import { createContentHash } from './content-hash.ts'
import { createRightOfWay } from './right-of-way.ts'
import { runVerify } from './run-verify.ts'

test('a backup is read back when no other one is made or restored', async (t) => {
  const backupsDir = mkdtempSync(join(tmpdir(), 'granary-verify-'))
  t.after(() => rmSync(backupsDir, { recursive: true, force: true }))
  const content = Buffer.alloc(1024 * 1024, 'a')
  const hash = createContentHash()
  hash.update(content)
  await mkdir(join(backupsDir, 'one'))
  writeFileSync(join(backupsDir, 'one', 'data'), content)
  writeFileSync(
    join(backupsDir, 'one', '.backup'),
    `<config><version>1</version><uuid>u</uuid><contents><file><name>data</name><size>${content.length}</size>` +
      `<checksum>${hash.digest()}</checksum></file></contents></config>`,
  )
  const { taken, take } = createRightOfWay()
  const release = take()
  const begun = Promise.withResolvers<void>()
  const place = { kind: 'local' } as const
  const task = { backupId: 'one', place, backupsDir, egress: readEgressList('private'), taken }
  const verdict = runVerify(task, () => begun.resolve(), new AbortController().signal)
  await begun.promise
  // A verification that had not waited would have read the old content.
  writeFileSync(join(backupsDir, 'one', 'data'), content.fill('b'))
  release()

  assert.equal((await verdict).good, false)
})

test('reading back that waits can be ended', async () => {
  const { taken, take } = createRightOfWay()
  take()
  const end = new AbortController()
  const task = {
    ...{ backupId: 'none', place: { kind: 'local' } as const, backupsDir: tmpdir(), taken },
    egress: readEgressList('private'),
  }
  const verdict = runVerify(task, () => undefined, end.signal)
  end.abort(new Error('enough'))

  await assert.rejects(verdict, /enough/)
})
