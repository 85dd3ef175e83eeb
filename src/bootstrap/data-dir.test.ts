import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError } from '../config/load.ts'
import { requireOtherFolders } from './data-dir.ts'

test('the folders of pipes neither hold the data directory nor lie in it, whatever links lead there', (t) => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'granary-folders-')))
  t.after(() => rmSync(scratch, { recursive: true }))
  const dataDir = join(scratch, 'data')
  for (const name of ['data/files/in', 'data/pipes', 'incoming'])
    mkdirSync(join(scratch, name), { recursive: true })
  symlinkSync(scratch, join(scratch, 'incoming', 'all'))
  symlinkSync(dataDir, join(scratch, 'linked'))
  const isAllowed = (root: string, from = dataDir): boolean => {
    try {
      requireOtherFolders({ dataDir: from, pipeFileRoots: [join(scratch, root)] })
      return true
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return false
    }
  }
  for (const root of ['', 'data', 'data/pipes', 'incoming/all', 'linked', 'linked/pipes'])
    assert.equal(isAllowed(root), false, root)
  for (const root of ['incoming', 'data/files', 'data/files/in', 'data-of-others', 'not-there-yet'])
    assert.equal(isAllowed(root), true, root)
  assert.equal(isAllowed('data', join(scratch, 'linked')), false)
})
