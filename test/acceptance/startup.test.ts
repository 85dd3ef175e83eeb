import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { options } from '../../src/config/options.ts'
import { basic, request, startServer } from '../support/server.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
let scratch: string
before(() => {
  scratch = mkdtempSync(join(tmpdir(), 'granary-startup-'))
})
after(() => rmSync(scratch, { recursive: true, force: true }))

/** Runs the program to its end, without this test's own environment. */
async function run(args: string[], env: Record<string, string> = {}) {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('GRANARY_'))
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...Object.fromEntries(clean), GRANARY_DATA_DIR: join(scratch, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr, lines: stderr.trim().split('\n') }
}

// Each test starts a process, which takes most of its time.
describe('starting', { concurrency: 3 }, () => {
  describe('the command line', () => {
    test('--help names every variable', async () => {
      const { code, stdout, stderr } = await run(['--help'])
      assert.deepEqual([code, stderr], [0, ''])
      for (const { env } of Object.values(options)) assert.ok(stdout.includes(env), env)
    })

    test('--version is one line', async () => {
      const { code, stdout } = await run(['--version'])
      assert.equal(code, 0)
      assert.match(stdout, /^\d+\.\d+\.\d+\S*\n$/)
    })

    test('anything else is refused by name', async () => {
      const { code, lines } = await run(['--verbose'])
      assert.equal(code, 2)
      assert.deepEqual(lines, ['granary: unknown argument --verbose; see --help'])
    })
  })

  test('a wrong environment exits with 2, names every wrong variable, and repeats no value', async () => {
    const wrong = {
      GRANARY_PORT: 'eighty',
      GRANARY_SERVICE_PORTS: '200-100',
      GRANARY_ADMIN_KEY: 'value-without-colon',
      GRANARY_DASHBOARD_TOKEN: 'value-of-15-let',
      GRANARY_ORGANIZATION_ID: 'acme',
      GRANARY_DATABASE_URL: 'mysql://value@host',
      GRANARY_SECRET_KEY: 'value-too-short',
      GRANARY_RATE_LIMIT: '0',
      GRANARY_TIME_SCALE: 'fast',
      GRANARY_LOG_LEVEL: 'loud',
    }
    const { code, stdout, lines } = await run([], wrong)
    assert.deepEqual([code, stdout], [2, ''])
    assert.deepEqual(
      lines.map((line) => line.split(' ')[1]).sort(),
      Object.keys(wrong)
        .map((name) => `${name}:`)
        .sort(),
    )
    assert.ok(!lines.join().includes('value'))
  })

  describe('what keeps the server from starting is one line, and exit code 1', () => {
    test('a port that is in use', async () => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const { port } = taken.address() as { port: number }
      const { code, lines } = await run([], { GRANARY_PORT: String(port), GRANARY_LOG_LEVEL: 'error' })
      taken.close()
      assert.equal(code, 1)
      assert.equal(lines.length, 1)
      assert.match(lines[0] ?? '', new RegExp(`^granary: .*address already in use.*${port}$`))
    })

    test('a data directory that cannot be made', async () => {
      const file = join(scratch, 'file')
      writeFileSync(file, '')
      const { code, lines } = await run([], { GRANARY_DATA_DIR: join(file, 'data') })
      assert.equal(code, 1)
      assert.equal(lines.length, 1)
      assert.ok(lines[0]?.includes(file))
    })

    test('an organization that nobody could use', async () => {
      const env = { GRANARY_DATA_DIR: join(scratch, 'lost'), GRANARY_PORT: '0', GRANARY_LOG_LEVEL: 'error' }
      const first = await startServer({ dataDir: env.GRANARY_DATA_DIR })
      await first.stop()
      const unknown = '33333333-3333-4333-8333-333333333333'
      const { code, lines } = await run([], { ...env, GRANARY_ORGANIZATION_ID: unknown })
      assert.equal(code, 1)
      assert.match(lines.join(), /GRANARY_ADMIN_KEY/)
    })
  })

  test('the first start makes credentials and shows them once; later ones keep them, and the data', async () => {
    const dataDir = join(scratch, 'kept')
    const server = await startServer({ dataDir })
    const { organizationId, keySecret, dashboardToken } = server.credentials
    const services = `/v1/organizations/${organizationId}/services`
    for (const shown of [organizationId, keySecret, dashboardToken])
      assert.ok(server.output().includes(shown))
    assert.equal(statSync(join(dataDir, 'credentials.json')).mode & 0o777, 0o600)
    assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
    const created = await server.api('POST', services, { name: 'kept' })
    assert.equal(created.status, 200)
    assert.equal(await server.stop(), 0, 'SIGTERM, also while connections are open')

    const firstOutput = server.output().length
    await server.restart()
    assert.ok(!server.output().slice(firstOutput).includes(keySecret))
    const kept = await server.api('GET', services)
    assert.deepEqual(
      kept.body.result.map(({ id }: { id: string }) => id),
      [created.body.result.service.id],
    )

    const second = await server.api('POST', services, { name: 'acknowledged' })
    await server.kill()
    await server.restart()
    const survived = await server.api('GET', `${services}/${second.body.result.service.id}`)
    assert.equal(survived.body.result.name, 'acknowledged')
    const all = server.output()
    for (const secret of [created.body.result.password, second.body.result.password])
      assert.ok(!all.includes(secret))
    assert.equal(await server.stop(), 0)
  })

  test('credentials of the environment hold on every start, and a changed secret replaces the old one', async () => {
    const dataDir = join(scratch, 'named')
    const id = '44444444-4444-4444-8444-444444444444'
    const start = (secret: string) =>
      startServer({
        dataDir,
        env: {
          GRANARY_ORGANIZATION_ID: id,
          GRANARY_ADMIN_KEY: `operator:${secret}`,
          GRANARY_DASHBOARD_TOKEN: 'a-token-of-our-own',
        },
      })
    const ask = (url: string, keySecret: string) =>
      request(url, basic({ keyId: 'operator', keySecret }), 'GET', `/v1/organizations/${id}/keys`)

    const first = await start('one:with:colons:0')
    assert.equal((await ask(first.url, 'one:with:colons:0')).status, 200)
    await first.stop()
    assert.ok(!first.output().includes('one:with:colons:0'))
    const second = await start('another-secret-0')
    assert.equal((await ask(second.url, 'one:with:colons:0')).status, 401)
    const keys = await ask(second.url, 'another-secret-0')
    assert.equal(keys.body.result.length, 2)
    await second.stop()
  })
})
