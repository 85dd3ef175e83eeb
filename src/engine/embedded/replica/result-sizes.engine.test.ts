import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noEngine } from '../../../../test/support/warehouse.ts'
import { resolveRuntime } from '../runtime.ts'
import { startTestReplica } from './test-replica.ts'

test('what had small results is formatted by one thread, unless the client wants it otherwise', {
  skip: noEngine,
}, async (t) => {
  const runtime = resolveRuntime()
  assert.ok(!('missing' in runtime))
  const replica = await startTestReplica(runtime)
  t.after(() => replica.stop())
  const setting = "SELECT getSetting('output_format_parallel_formatting')"
  const seen: string[] = []
  for (let n = 0; n < 4; n++) seen.push((await replica.text(setting)).trim())
  assert.deepEqual(seen, ['true', 'true', 'false', 'false'])
  assert.equal((await replica.text(setting, 'output_format_parallel_formatting=1')).trim(), 'true')

  const rows = 'SELECT number FROM numbers('
  for (let n = 0; n < 3; n++) await replica.text(`${rows}10)`)
  const large = await replica.text(`${rows}200000)`)
  assert.equal(large.trimEnd().split('\n').length, 200_000)
})
