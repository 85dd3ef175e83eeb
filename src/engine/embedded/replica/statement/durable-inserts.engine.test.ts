import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs } from '../../../../../test/support/patience.ts'
import { startTestReplica } from '../../../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../runtime.ts'

for (const durableInserts of [true, false]) {
  const what = durableInserts ? 'is synced to the disk before' : 'may be synced after'
  test(`an insert ${what} it is acknowledged`, { timeout: patienceMs }, async () => {
    const runtime = resolveRuntime()
    if ('missing' in runtime) return assert.fail(runtime.missing)
    const replica = await startTestReplica(runtime, { durableInserts })
    try {
      await replica.text('CREATE DATABASE d')
      await replica.text('CREATE TABLE d.t (a UInt64) ENGINE = MergeTree ORDER BY a')
      const syncs = async () =>
        Number(
          await replica.text(
            "SELECT sum(value) FROM system.events WHERE event IN ('FileSync', 'DirectorySync')",
          ),
        )
      const before = await syncs()
      await replica.text('INSERT INTO d.t VALUES (1)')
      const made = (await syncs()) - before
      assert.ok(durableInserts ? made >= 2 : made === 0, `${made} syncs`)
    } finally {
      await replica.stop()
    }
  })
}
