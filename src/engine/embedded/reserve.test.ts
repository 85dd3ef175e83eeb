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
  reserve.refill()
  await reserve.close()
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
  reserve.refill()
  await reserve.close()
  disk.fill()
  await reserve.lend()
  assert.equal(existsSync(path), false)
  reserve.refill()
  await reserve.close()
  assert.equal(existsSync(path), false, 'it must not fill the disk itself')
  disk.free()
  reserve.refill()
  await reserve.close()
  assert.equal(statSync(path).size, reserveBytes)
})
