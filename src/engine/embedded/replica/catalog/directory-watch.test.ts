import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { patienceMs } from '../../../../../test/support/patience.ts'
import { createDirectoryWatch } from './directory-watch.ts'

function createRig(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'granary-watch-'))
  let hint = () => {}
  const watch = createDirectoryWatch(() => hint())
  t.after(() => {
    watch.close()
    rmSync(directory, { recursive: true })
  })
  const hinted = () =>
    new Promise<void>((resolve) => {
      hint = resolve
    })
  return { directory, watch, hinted }
}

test('a file that is renamed into a watched directory is a hint', { timeout: patienceMs }, async (t) => {
  const { directory, watch, hinted } = createRig(t)
  mkdirSync(join(directory, 'a'))
  writeFileSync(join(directory, 'x'), '')
  watch.set([join(directory, 'a'), join(directory, 'missing')])
  const soon = hinted()
  renameSync(join(directory, 'x'), join(directory, 'a', 'x'))
  await soon
})

test('a directory that went and came again is watched again with the next set', {
  timeout: patienceMs,
}, async (t) => {
  const { directory, watch, hinted } = createRig(t)
  const path = join(directory, 'a')
  mkdirSync(path)
  watch.set([path])
  let soon = hinted()
  rmSync(path, { recursive: true })
  await soon
  watch.set([path])
  mkdirSync(path)
  watch.set([path])
  soon = hinted()
  writeFileSync(join(path, 'x'), '')
  await soon
  watch.set([])
  assert.doesNotThrow(() => watch.close())
})
