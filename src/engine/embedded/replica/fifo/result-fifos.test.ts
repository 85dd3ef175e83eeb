import assert from 'node:assert/strict'
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import koffi from 'koffi'
import { createFifos, type Fifos, openForWriting } from './fifos.ts'
import { createResultFifos } from './result-fifos.ts'

let directory: string
let fifos: Fifos

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'granary-fifos-'))
  fifos = createFifos(directory)
})
after(() => rmSync(directory, { recursive: true, force: true }))

test('what is written while nobody looks is there at the end', async () => {
  const results = createResultFifos(fifos)
  const fifo = await results.take()
  for (const text of ['one', 'two']) {
    const got: Buffer[] = []
    fifo.begin((chunk) => got.push(chunk) > 0)
    const fd = openSync(fifo.path, constants.O_WRONLY)
    writeSync(fd, text)
    closeSync(fd)
    fifo.finish()
    assert.equal(Buffer.concat(got).toString(), text)
  }
  results.giveBack(fifo)
  assert.equal(await results.take(), fifo)
})

test('a sink that wants no more makes the writer wait, and gets all in order', async () => {
  const results = createResultFifos(fifos)
  const fifo = await results.take()
  const chunk = Buffer.alloc(64 * 1024)
  let got = 0
  let isWilling = false
  let onFull: (() => void) | undefined
  const full = new Promise<void>((resolve) => {
    onFull = resolve
  })
  fifo.begin((part) => {
    for (const byte of part) assert.equal(byte, Math.floor(got++ / chunk.length) % 256)
    onFull?.()
    return isWilling
  })
  const writer = await open(fifo.path, 'w')
  let written = 0
  const writing = (async () => {
    for (; written < 40; written++) await writer.write(chunk.fill(written))
  })()
  await full
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(written < 10, `${written} were taken`)
  isWilling = true
  fifo.resume()
  await writing
  await writer.close()
  fifo.finish()
  assert.equal(got, 40 * chunk.length)
})

test('a FIFO that much goes through holds more until its statement ends', {
  skip: process.platform === 'linux' ? false : 'FIFOs are resized on Linux only',
}, async () => {
  const getSize = koffi.load(null).func('int fcntl(int, int, ...)')
  const results = createResultFifos(fifos)
  const fifo = await results.take()
  const writer = await open(fifo.path, 'r+')
  const usual: number = getSize(writer.fd, 1032)
  let got = 0
  fifo.begin((chunk) => {
    got += chunk.length
    return true
  })
  // The write ends only when most of the data has been read.
  await writer.writeFile(Buffer.alloc(20 * usual))
  assert.equal(getSize(writer.fd, 1032), 4 * usual)
  fifo.finish()
  assert.equal(got, 20 * usual)
  assert.equal(getSize(writer.fd, 1032), usual)
  await writer.close()
})

test('the writing end opens when somebody reads, and not when nobody will', async () => {
  const path = await fifos.take()
  assert.equal(await openForWriting(path, () => true), null)
  let asked = 0
  assert.equal(await openForWriting(path, () => ++asked > 3), null)
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const fd = await openForWriting(path, () => false)
  assert.notEqual(fd, null)
  closeSync(fd ?? -1)
  closeSync(reader)
})

test('many are made at a time, none twice', async () => {
  const paths = await Promise.all(Array.from({ length: 40 }, () => fifos.take()))
  assert.equal(new Set(paths).size, 40)
})
