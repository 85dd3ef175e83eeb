import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/support/embedded-rig.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createRecordingLog } from '../../../test/support/recording-log.ts'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import { type TinySpec, type TinyStatus, tinyKind } from '../../../test/support/tiny-worker.ts'
import { systemClock } from '../../lib/clock.ts'
import { createSlots } from '../../lib/slots.ts'
import { describeSupport, supportText } from '../confine/confine.ts'
import { type Discovery, discover } from './discover.ts'
import { identify } from './identity.ts'
import { processFile } from './launch.ts'
import { createSocketClient } from './socket-client.ts'
import { openSocketDirectory, socketIn } from './socket-directory.ts'
import { createSpares } from './spares.ts'
import { createSupervisor, type WorkerProcess } from './supervisor.ts'

type Tiny = WorkerProcess<TinySpec, TinyStatus>

const limits = { pollMs: 20, startPollMs: 5, statusTimeoutMs: 10_000, startTurnMs: 60_000 }

async function createRig(t: TestContext) {
  const folder = temporaryFolder(t)
  const socketDir = await openSocketDirectory(folder)
  t.after(() => rmSync(socketDir, { recursive: true, force: true }))
  const [work, spareDir] = [join(folder, 'work'), join(folder, 'spares')]
  const log = createRecordingLog()
  const clock = systemClock
  const starts = createSlots({ max: 1, maxWaiting: Number.POSITIVE_INFINITY })
  const spares = createSpares({ path: spareDir, kind: tinyKind, clock, log, isQuiet: () => true })
  t.after(() => spares.close())
  const all: Tiny[] = []
  /** Every reported change, by the worker's name. */
  const told: string[] = []
  const changed = ({ spec, phase, isReady }: Tiny) => {
    const line = `${spec.name} ${phase}${isReady ? ' ready' : ''}`
    if (told.at(-1) !== line) told.push(line)
  }
  const supervisor = () => createSupervisor({ kind: tinyKind, clock, log, limits, spares, starts })
  t.after(() => Promise.all(all.map(ended)))
  const found = (): Promise<Discovery<TinySpec, TinyStatus>> => {
    const isOurs = (workDir: string) => [work, spareDir].includes(dirname(workDir))
    return discover({ kind: tinyKind, isOurs, timeoutMs: limits.statusTimeoutMs, log })
  }
  return {
    ...{ work, log, spares, told, found },
    start(name: string): Tiny {
      const spec = { name, workDir: join(work, name), socketPath: socketIn(socketDir, name) }
      const worker = supervisor().start({ ...spec, orphanAfterMs: 60_000 }, changed)
      all.push(worker)
      return worker
    },
    async adopt(): Promise<Tiny[]> {
      const discovery = await found()
      const workers = (await discovery.workersIn(work)).map((each) => supervisor().adopt(each, changed))
      all.push(...workers)
      return workers
    },
  }
}

const ready = (worker: Tiny) => until('it is ready', () => worker.isReady)
const gone = (worker: Tiny) => until('it is gone', () => worker.phase === 'gone')
async function ended(worker: Tiny): Promise<void> {
  worker.kill('')
  await gone(worker)
}

async function tell({ spec }: Tiny, path: string): Promise<void> {
  const client = createSocketClient(spec.socketPath, limits.statusTimeoutMs)
  // A worker that exits at once does not answer.
  await client.ask('POST', path).catch(() => undefined)
  client.close()
}

test('a worker of any kind starts, serves, and ends when it is asked to', async (t) => {
  const { start, told } = await createRig(t)
  const worker = start('a')
  await ready(worker)
  const { pid, environment, isolation } = worker.status ?? assert.fail()
  assert.equal(isolation, supportText(describeSupport()))
  assert.deepEqual(
    environment.filter((name) => name !== 'NODE_COMPILE_CACHE'),
    ['PATH', 'TINY'],
  )
  assert.deepEqual(readdirSync(worker.spec.workDir).sort(), [processFile, 'tiny.json', 'tiny.log'])
  worker.end()
  await gone(worker)
  assert.equal(worker.failure, '', 'it had been drained before')
  assert.deepEqual(told, ['a starting', 'a serving ready', 'a ending', 'a gone'])
  assert.equal(await identify(pid), null)
  assert.ok(!existsSync(worker.spec.socketPath))
})

test('one that is killed is seen to be gone; one that fails tells why, without what is secret', async (t) => {
  const { start } = await createRig(t)
  const [killed, failing] = [start('killed'), start('failing')]
  await Promise.all([killed, failing].map(ready))
  process.kill(killed.status?.pid ?? assert.fail(), 'SIGKILL')
  await tell(failing, '/fail')
  await Promise.all([killed, failing].map(gone))
  assert.equal(killed.failure, 'was ended by SIGKILL')
  assert.equal(failing.failure, 'ended with 3: Error: has broken a wheel, password=[redacted]')
})

test('one that is not well gets no work until it is; one that drains gets none', async (t) => {
  const { start } = await createRig(t)
  const worker = start('a')
  await ready(worker)
  await tell(worker, '/sicken')
  await until('it is not ready', () => !worker.isReady)
  assert.deepEqual([worker.phase, worker.silentSinceMs === null], ['serving', false])
  await tell(worker, '/heal')
  await ready(worker)
  assert.equal(worker.silentSinceMs, null)
  await tell(worker, '/drain')
  await until('it is not ready', () => !worker.isReady)
})

test('a second supervisor adopts what runs, watches it and ends it', async (t) => {
  const { start, adopt, found, work, log } = await createRig(t)
  const [first, other, stray] = [start('first'), start('other'), start('stray')]
  await Promise.all([first, other, stray].map(ready))
  rmSync(stray.spec.workDir, { recursive: true })

  const adopted = await adopt()
  assert.deepEqual(
    adopted.map(({ spec, isReady }) => [spec.name, isReady]),
    [
      ['first', true],
      ['other', true],
    ],
  )
  const [one = assert.fail(), two = assert.fail()] = adopted
  assert.equal(one.status?.pid, first.status?.pid)
  process.kill(one.status?.pid ?? 0, 'SIGKILL')
  two.end()
  await Promise.all([one, two].map(gone))
  assert.match(one.failure, /^ended while another control plane was its parent/)
  assert.equal(two.failure, '')

  const again = await found()
  assert.deepEqual(await again.workersIn(work), [], 'directories of dead ones are removed')
  assert.deepEqual(readdirSync(work), [])
  await again.endStrays()
  await gone(stray)
  assert.equal(log.count('warn', 'a tiny worker runs that nobody can tell about'), 1)
})

test('a spare becomes the worker that is started next', async (t) => {
  const { start, adopt, spares } = await createRig(t)
  spares.keep(1)
  const workers: Tiny[] = []
  // A start does not wait for a spare that has not loaded yet.
  await until('one that waited is taken', async () => {
    const worker = start(`w${workers.length}`)
    workers.push(worker)
    await ready(worker)
    return worker.status?.wasSpare === true
  })
  const adopted = await adopt()
  assert.deepEqual(
    adopted.map(({ status }) => status?.pid),
    workers.map(({ status }) => status?.pid),
  )
})

test('one that rests is asked less often, until it works again or does not answer', async () => {
  const clock = createManualClock()
  let [asked, works, isSilent] = [0, false, false]
  const kind = {
    ...tinyKind,
    hasRested: (before: TinyStatus, status: TinyStatus) => before.pid === status.pid,
    connect: () => ({
      async status() {
        asked += 1
        if (isSilent) throw new Error('no answer')
        return { name: 'a', pid: works ? asked : 0, isDraining: false, problem: '' } as TinyStatus
      },
      drain: async () => undefined,
      close: () => undefined,
    }),
  }
  const starts = createSlots({ max: 1, maxWaiting: 0 })
  const watch = { ...limits, pollMs: 10, restPollMs: 100 }
  const supervisor = createSupervisor({ kind, clock, log: createRecordingLog(), limits: watch, starts })
  const identity = (await identify(process.pid)) ?? assert.fail()
  const spec = { name: 'a', workDir: '/nowhere', socketPath: '/nowhere/a', orphanAfterMs: 0 }
  supervisor.adopt({ spec, identity, status: null }, () => undefined)
  const times = async (ms: number) => {
    const before = asked
    await clock.advance(ms)
    return asked - before
  }
  await times(20)
  assert.equal(await times(300), 3)
  works = true
  await times(100)
  assert.equal(await times(50), 5)
  works = false
  assert.equal(await times(100), 2)
  isSilent = true
  await times(20)
  assert.equal(await times(50), 5)
})
