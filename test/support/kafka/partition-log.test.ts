import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createMemoryStorage, openFileStorage } from './batch-storage.ts'
import { crc32c } from './crc32c.ts'
import { errorCodes } from './error-codes.ts'
import { openPartitionLog } from './partition-log.ts'
import { encodeBatch, encodeEndMarker, readBatchHead } from './record-batch.ts'

test('a file whose last batch is cut off ends before it, and goes on from there', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'granary-kafka-log-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'log')
  const producer = { id: 7, epoch: 0 }
  const open = () => openPartitionLog(openFileStorage(path), 0)
  const before = open()
  before.append(encodeBatch([{ value: '1' }, { value: '2' }]), 0)
  before.append(
    encodeBatch([{ value: '3' }], { producer: { ...producer, sequence: 0 }, isTransactional: true }),
    0,
  )
  before.close()
  for (const cutBytes of [1, 60, 61, 70]) {
    appendFileSync(path, encodeBatch([{ value: 'x'.repeat(100) }]).subarray(0, cutBytes))
    const after = open()
    assert.deepEqual([after.endOffset, after.stableOffset], [3, 2])
    after.close()
  }
  const last = open()
  assert.deepEqual(last.append(encodeEndMarker(producer, false), 0), { error: 0, baseOffset: 3 })
  assert.deepEqual(last.producers.abortedBetween(0, 4), [{ producerId: 7, firstOffset: 2 }])
  assert.deepEqual(
    last.read(0, 4, 1e6, true).map((batch) => readBatchHead(batch)?.baseOffset),
    [0, 2, 3],
  )
  last.close()
})

test('batches of an idempotent producer: again, too soon, with an older epoch', () => {
  const log = openPartitionLog(createMemoryStorage(), 0)
  const send = (epoch: number, sequence: number) =>
    log.append(encodeBatch([{ value: 'a' }, { value: 'b' }], { producer: { id: 1, epoch, sequence } }), 0)
  assert.deepEqual(send(1, 0), { error: 0, baseOffset: 0 })
  assert.deepEqual(send(1, 2), { error: 0, baseOffset: 2 })
  assert.deepEqual(send(1, 0), { error: 0, baseOffset: 0 })
  assert.equal(send(1, 6).error, errorCodes.outOfOrderSequence)
  assert.equal(send(0, 4).error, errorCodes.invalidProducerEpoch)
  assert.deepEqual(send(2, 0), { error: 0, baseOffset: 4 })
})

test('a batch with a wrong checksum is refused', () => {
  const batch = encodeBatch([{ value: 'value' }])
  batch.writeUInt8(batch.readUInt8(batch.length - 1) ^ 1, batch.length - 1)
  const log = openPartitionLog(createMemoryStorage(), 0)
  assert.deepEqual(log.append(batch, 0), { error: errorCodes.corruptMessage, baseOffset: -1 })
  // The check value of this CRC in the catalogue of CRCs.
  assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283)
})
