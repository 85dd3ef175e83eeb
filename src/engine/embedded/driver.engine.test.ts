import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { callerOf, createEmbeddedRig, until } from '../../../test/support/embedded-rig.ts'
import { engineSpec, gib } from '../../../test/support/engine-caller.ts'
import { testEngine } from '../../../test/support/engine-contract.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import type { Engine, EngineObservation, ReplicaObservation } from '../engine.ts'
import { type Runtime, resolveRuntime } from './runtime.ts'

// The driver with the real engine in its replicas. Under emulation a start takes ten seconds of processor
// time, so everything that needs a replica is one test.
const found = resolveRuntime()
const limitMs = patienceMs

async function createRig(t: TestContext, runtime: Runtime) {
  const rig = createEmbeddedRig(t)
  // The driver's default time limits, not those of the tests with fast processes.
  const open = () => rig.open({ runtime, limits: own })
  const engine = await open()
  return { ...rig, engine, open }
}

const own = {
  pollMs: 1_000,
  startPollMs: 20,
  statusTimeoutMs: 10_000,
  backoff: { baseMs: 500, maxMs: 30_000 },
  closeMs: 30_000,
}

if (!('missing' in found)) {
  testEngine(
    async (t) => {
      const { engine, open } = await createRig(t, found)
      const rig = {
        engine,
        async reopen() {
          await rig.engine.close()
          return open()
        },
        until,
      }
      return rig
    },
    { costly: true },
  )
}

test('a warehouse: rows are written, and still there after a crash; asleep nothing runs; purged it is gone', async (t) => {
  if ('missing' in found) return
  const { engine, dataDir, livePids } = await createRig(t, found)
  const spec = engineSpec({ memoryBytesPerReplica: 2 * gib })
  assert.deepEqual(await engine.apply(spec), { accepted: 1 })
  const up = await settled(engine, 1)
  assert.match(up.version, /^\d+\.\d+/)
  const writer = up.replicas[0] ?? assert.fail()
  assert.ok(writer.canWrite)
  const { createDatabase, tableEngine } = engine.sql()
  await ask(writer, createDatabase('shop'))
  await ask(writer, `CREATE TABLE shop.sales (n UInt64) ENGINE = ${tableEngine('MergeTree')} ORDER BY n`)
  await ask(writer, 'INSERT INTO shop.sales SELECT number FROM numbers(1000)')

  process.kill((await livePids())[0] ?? assert.fail(), 'SIGKILL')
  await until('the crash is seen', async () => (await engine.observe(spec)).power === 'turning_on', limitMs)
  await until('it is healed', async () => (await engine.observe(spec)).power === 'on', limitMs)
  const healed = (await engine.observe(spec)).replicas[0] ?? assert.fail()
  assert.equal(healed.restarts, 1)
  assert.equal(await ask(healed, 'SELECT count() FROM shop.sales'), '1000\n')

  assert.deepEqual(await engine.apply({ ...spec, generation: 2, power: 'idle' }), { accepted: 2 })
  assert.equal((await settled(engine, 2)).power, 'idle')
  assert.deepEqual(await livePids(), [])

  await callerOf(engine).destroy(spec, 'purge')
  await until('it is gone', async () => (await engine.observe(spec)).power === 'absent', limitMs)
  assert.ok(!existsSync(join(dataDir, 'warehouses', spec.warehouseId)))
})

async function settled(engine: Engine, generation: number): Promise<EngineObservation> {
  const ref = engineSpec()
  await until(
    `generation ${generation} is true`,
    async () => {
      const { settledGeneration, problem } = await engine.observe(ref)
      assert.equal(problem, null)
      return settledGeneration === generation
    },
    limitMs,
  )
  return engine.observe(ref)
}

/** Sends a statement as the gateway forwards it. */
function ask({ address }: ReplicaObservation, statement: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-granary-user': 'default', 'x-granary-access': 'rw', host: 'replica' }
    const options = { socketPath: address.slice('unix:'.length), method: 'POST', path: '/', headers }
    const asked = request(options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`${answer.statusCode}: ${text}`))
      })
    })
    asked.once('error', reject)
    asked.end(statement)
  })
}
