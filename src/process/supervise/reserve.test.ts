import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeSmallDisk } from '../../../test/support/small-disk.ts'
import { createReserve, reserveBytes } from './reserve.ts'

test('space is set aside and kept while there is enough', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'granary-reserve-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const reserve = createReserve(directory)
  await reserve.refill()
  await reserve.lend()
  assert.equal(statSync(join(directory, '.reserve')).size, reserveBytes)
})

const disk = makeSmallDisk(48)

test('a full disk gets it back, and it is made again when there is space', {
  skip: 'refused' in disk ? disk.refused : false,
}, async (t) => {
  if ('refused' in disk) return
  t.after(() => disk.remove())
  const path = join(disk.path, '.reserve')
  const reserve = createReserve(disk.path)
  await reserve.refill()
  disk.fill()
  await reserve.lend()
  assert.equal(existsSync(path), false)
  await reserve.refill()
  assert.equal(existsSync(path), false, 'it must not fill the disk itself')
  disk.free()
  await reserve.refill()
  assert.equal(statSync(path).size, reserveBytes)
})
