import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/store-rig.ts'
import { brokenRules, createDice, createStorm, stormEnvironment } from '../support/write-storm.ts'

const rounds = 50

test(`sqlite: over ${rounds} kills in the middle of writing, nothing acknowledged is lost`, async (t) => {
  const dice = createDice()
  const dataDir = join(temporaryFolder(t), 'data')
  // The cache saves a quarter of each of the many starts.
  const env = {
    ...stormEnvironment(21_000),
    NODE_COMPILE_CACHE: temporaryFolder(t),
    GRANARY_LOG_LEVEL: 'warn',
  }
  const server = await startServer({ dataDir, env })
  t.after(() => server.kill())
  const storm = await createStorm(server)
  for (let round = 1; round <= rounds; round += 1) {
    try {
      await storm.rage(dice.roll(1, 24), () => server.kill())
      checkDatabase(join(dataDir, 'granary.db'))
      await server.restart()
      await storm.verify()
    } catch (error) {
      throw new Error(`round ${round}, GRANARY_TEST_SEED=${dice.seed}`, { cause: error })
    }
  }
  assert.ok(storm.acknowledged() >= rounds)
  assert.equal(await server.stop(), 0)
  assert.doesNotMatch(server.output(), /"level":[456]0/, 'a start after a kill has nothing to complain of')
})

/** With a connection of its own, while no server runs: recovers the log as a start would. */
function checkDatabase(path: string): void {
  const database = new DatabaseSync(path)
  try {
    assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    assert.deepEqual(database.prepare('pragma foreign_key_check').all(), [])
    for (const [rule, statement] of Object.entries(brokenRules)) {
      assert.equal(database.prepare(statement).get()?.['n'], 0, rule)
    }
  } finally {
    database.close()
  }
}
