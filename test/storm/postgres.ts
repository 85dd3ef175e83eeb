import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type Ends, request, startServer, type TestServer } from '../support/server.ts'
import { queryPostgres, temporaryFolder } from '../support/store-rig.ts'
import { brokenRules, createDice, createStorm, stormEnvironment } from '../support/write-storm.ts'
import type { Tell } from './main.ts'

/** Kills the server in the middle of writes: nothing that was acknowledged is lost. */
export async function postgresStorm(ends: Ends, rounds: number, tell: Tell = () => 'go on'): Promise<void> {
  const dice = createDice()
  const postgres = await startPostgres()
  ends.after(() => postgres.stop())
  const url = await postgres.createDatabase()
  const server = await startServer({
    dataDir: join(temporaryFolder(ends), 'data'),
    env: {
      ...stormEnvironment(22_000),
      GRANARY_DATABASE_URL: url,
      GRANARY_LOG_LEVEL: 'warn',
      // The cache saves a quarter of each of the many starts.
      NODE_COMPILE_CACHE: temporaryFolder(ends),
    },
  })
  ends.after(() => server.kill())
  const storm = await createStorm(server)
  for (let round = 1; round <= rounds; round += 1) {
    try {
      await storm.rage(dice.roll(1, 24), () => server.kill())
      await server.restart()
      await checkDatabase(url)
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

/** Kills the database in the middle of writes: the server answers 503, and recovers by itself. */
export async function databaseStorm(ends: Ends, rounds: number, tell: Tell = () => 'go on'): Promise<void> {
  const dice = createDice()
  const postgres = await startPostgres()
  ends.after(() => postgres.stop())
  const url = await postgres.createDatabase()
  const env = { ...stormEnvironment(23_000), GRANARY_DATABASE_URL: url }
  const server = await startServer({ dataDir: join(temporaryFolder(ends), 'data'), env })
  ends.after(() => server.kill())
  const storm = await createStorm(server)
  for (let round = 1; round <= rounds; round += 1) {
    try {
      await storm.rage(dice.roll(1, 60), () => postgres.kill())
      await checkOutage(server)
      await recover(server, postgres)
      await checkDatabase(url)
      await storm.verify()
      assert.ok(storm.acknowledged() >= round)
    } catch (error) {
      throw new Error(`round ${round}, GRANARY_TEST_SEED=${dice.seed}`, { cause: error })
    }
    if (tell(round, `${storm.acknowledged()} writes acknowledged`) === 'stop') break
  }
  assert.equal(await server.stop(), 0)
  assert.doesNotMatch(server.output(), /INTERNAL_ERROR|"status":500/)
}

/** Every request is answered in the shape of its API, as retryable. */
async function checkOutage(server: TestServer): Promise<void> {
  const { organizationId, dashboardToken } = server.credentials
  const services = `/v1/organizations/${organizationId}/services`
  const bearer = `Bearer ${dashboardToken}`
  const answers = await Promise.all([
    server.api('GET', services),
    server.api('POST', services, { name: 'during the outage' }),
    request(server.url, bearer, 'GET', '/api/v2/dashboards'),
    request(server.url, bearer, 'POST', '/api/v2/dashboards', { name: 'during the outage' }),
  ])
  for (const { status, headers, body } of answers) {
    assert.equal(status, 503, JSON.stringify(body))
    assert.equal(headers.get('retry-after'), '1')
  }
  const [read, , board] = answers
  const { requestId, ...rest } = read.body
  const error = 'UNAVAILABLE: the store cannot be reached'
  assert.deepEqual(rest, { status: 503, error, code: 'UNAVAILABLE' })
  assert.equal(requestId, read.headers.get('x-request-id'))
  assert.deepEqual(board.body, { message: 'the store cannot be reached' })
  assert.equal((await request(server.url, '', 'GET', '/healthz')).status, 200)
  assert.equal((await request(server.url, '', 'GET', '/readyz')).status, 503)
}

/** Starts the database again; the server is not notified and must work at its next request. */
async function recover(server: TestServer, postgres: PostgresServer): Promise<void> {
  await postgres.restart()
  const { organizationId } = server.credentials
  const made = await server.api('POST', `/v1/organizations/${organizationId}/services`, { name: 'after' })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  assert.equal((await request(server.url, '', 'GET', '/readyz')).status, 200)
}

async function checkDatabase(url: string): Promise<void> {
  for (const [rule, statement] of Object.entries(brokenRules)) {
    const [row] = await queryPostgres(url, statement)
    assert.equal(Number(row?.['n']), 0, rule)
  }
}
