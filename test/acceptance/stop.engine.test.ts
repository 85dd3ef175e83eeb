import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { oneRequestMs } from '../../src/lib/stop-signals.ts'
import { processFile } from '../../src/process/supervise/launch.ts'
import { until } from '../support/embedded-rig.ts'
import { freePorts, startServer } from '../support/server.ts'
import { noTerminal, openTerminal, processesWith } from '../support/terminal.ts'
import { patienceMs, processesOf } from '../support/warehouse.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const command = 'npm start --silent'
const countRunning =
  "SELECT count() FROM system.processes WHERE query LIKE '%sleepEachRow(%' AND query NOT LIKE '%LIKE%'"

describe('a stop ends when the last process has', {
  skip: noTerminal,
  timeout: 10 * patienceMs,
}, () => {
  let folder = ''
  let dataDir = ''
  let env: NodeJS.ProcessEnv = {}
  let endpoint = ''
  let headers = {}
  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'granary-stop-')))
    dataDir = join(folder, 'data')
    const own = {
      GRANARY_ENGINE: 'embedded',
      GRANARY_SERVICE_PORTS: await freePorts(20),
      // Sockets go into a directory below this one.
      TMPDIR: folder,
    }
    const server = await startServer({ dataDir, env: own })
    const services = `/v1/organizations/${server.credentials.organizationId}/services`
    const asked = { name: 'x', idleScaling: false, numReplicas: 2 }
    const created = await server.api('POST', services, asked)
    assert.equal(created.status, 200, JSON.stringify(created.body))
    const { service, password } = created.body.result
    endpoint = `http://127.0.0.1:${service.endpoints[0].port}`
    headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password }
    await until('it runs', async () => (await running()).length >= 2, patienceMs)
    assert.equal(await server.stop(), 0)
    env = { ...process.env, ...own, GRANARY_DATA_DIR: dataDir, GRANARY_PORT: '0' }
  })
  after(() => {
    for (const pid of processesWith(dataDir)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  /** Pids of replicas that are recorded and alive. */
  async function running(): Promise<number[]> {
    const noted = globSync(`warehouses/*/replicas/*/${processFile}`, { cwd: dataDir })
    const live = await processesOf(dataDir)
    return noted.length < 2 ? [] : live.map(({ pid }) => pid)
  }

  const ask = async (sql: string) => (await fetch(endpoint, { method: 'POST', headers, body: sql })).text()

  function nothingIsLeft(): void {
    assert.deepEqual(processesWith(dataDir), [])
    assert.deepEqual(globSync('granary-*', { cwd: folder }), [], 'directories of sockets')
  }

  /** `npm start` as in a terminal window, with running replicas. */
  async function inTerminal() {
    const terminal = openTerminal(command, { cwd: root, env })
    await until('it listens', () => terminal.output().includes('Granary listens'), patienceMs)
    await until('replicas run', async () => (await running()).length >= 2, patienceMs)
    return terminal
  }

  test('Ctrl-C in a terminal', async () => {
    const terminal = await inTerminal()
    terminal.interrupt()
    assert.equal(await terminal.ended, 0, terminal.output())
    nothingIsLeft()
  })

  test('Ctrl-C twice in quick succession', async () => {
    const terminal = await inTerminal()
    terminal.interrupt()
    terminal.interrupt()
    assert.equal(await terminal.ended, 0, terminal.output())
    nothingIsLeft()
  })

  test('a later Ctrl-C, while a query runs', async () => {
    const terminal = await inTerminal()
    const query = fetch(endpoint, {
      method: 'POST',
      headers,
      body: 'SELECT sleepEachRow(1) FROM numbers(60) SETTINGS max_block_size = 1',
    })
    const answer = query.then((response) => response.text()).catch(() => 'cut off')
    await until('it runs', async () => (await ask(countRunning)) === '1\n', patienceMs)
    terminal.interrupt()
    await until('it stops', () => terminal.output().includes(' stopping '), patienceMs)
    const laterMs = performance.now() + oneRequestMs
    await until('a second is over', () => performance.now() > laterMs)
    terminal.interrupt()
    assert.equal(await terminal.ended, 1, terminal.output())
    nothingIsLeft()
    await answer
  })

  test('a closed terminal', async () => {
    const terminal = await inTerminal()
    terminal.close()
    await terminal.ended
    // npm may exit first.
    await until('all have ended', () => processesWith(dataDir).length === 0, patienceMs)
    nothingIsLeft()
  })

  test('SIGTERM to the group', async () => {
    const child = spawn('npm', ['start', '--silent'], { cwd: root, env, detached: true, stdio: 'ignore' })
    const ended = once(child, 'exit')
    await until('replicas run', async () => (await running()).length >= 2, patienceMs)
    process.kill(-(child.pid ?? assert.fail()), 'SIGTERM')
    assert.deepEqual(await ended, [0, null])
    nothingIsLeft()
  })

  test('SIGTERM while replicas are being started', async () => {
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    const lines = createInterface({ input: child.stdout })
    for await (const line of lines) if (line.includes('a replica starts')) break
    child.stdout.resume()
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    nothingIsLeft()
  })
})
