import { test } from 'node:test'
import { kinesisStorm } from '../storm/kinesis.ts'

// `npm run storm -- kinesis --rounds 60` is the same for longer.
test('each record of a stream is in the table once, through splits, merges and kills', (t) =>
  kinesisStorm(t, 3))
