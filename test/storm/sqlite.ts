import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Ends, startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/store-rig.ts'
import { brokenRules, createDice, createStorm, stormEnvironment } from '../support/write-storm.ts'
import type { Tell } from './main.ts'

/** Kills the server in the middle of writes: nothing that was acknowledged is lost. */
export async function sqliteStorm(ends: Ends, rounds: number, tell: Tell = () => 'go on'): Promise<void> {
  const dice = createDice()
  const dataDir = join(temporaryFolder(ends), 'data')
  // The cache saves a quarter of each of the many starts.
  const env = {
    ...stormEnvironment(21_000),
    NODE_COMPILE_CACHE: temporaryFolder(ends),
    GRANARY_LOG_LEVEL: 'warn',
  }
  const server = await startServer({ dataDir, env })
  ends.after(() => server.kill())
  const storm = await createStorm(server)
  for (let round = 1; round <= rounds; round += 1) {
    try {
      await storm.rage(dice.roll(1, 24), () => server.kill())
      checkDatabase(join(dataDir, 'granary.db'))
      await server.restart()
      await storm.verify()
      assert.ok(storm.acknowledged() >= round)
    } catch (error) {
      throw new Error(`round ${round}, GRANARY_TEST_SEED=${dice.seed}`, { cause: error })
    }
    if (tell(round, `${storm.acknowledged()} writes acknowledged`) === 'stop') break
  }
  assert.equal(await server.stop(), 0)
  assert.doesNotMatch(server.output(), /"level":[456]0/, 'a start after a kill has nothing to complain of')
}

/** Uses its own connection while no server runs: recovers the log as a start would. */
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
