import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeProgress } from './progress.ts'

const told = (bytes: number, totalBytes: number) =>
  describeProgress('backing up', { bytes, totalBytes, files: 0, totalFiles: 0 })

test('progress is told in percent once the total is known, and never beyond it', () => {
  assert.equal(told(0, 0), 'backing up')
  assert.equal(told(1_200_000, 0), 'backing up: 1.2 MB so far')
  assert.equal(told(0, 2_800_000_000), 'backing up: 0 % (0.0 kB of 2.8 GB)')
  assert.equal(told(1_210_000_000, 2_800_000_000), 'backing up: 43 % (1.2 GB of 2.8 GB)')
  assert.equal(told(2_799_999_999, 2_800_000_000), 'backing up: 99 % (2.8 GB of 2.8 GB)')
  assert.equal(told(3_000_000_000, 2_800_000_000), 'backing up: 100 % (2.8 GB of 2.8 GB)')
  assert.equal(told(123_456, 7e18), 'backing up: 0 % (123 kB of 7000 PB)')
})
