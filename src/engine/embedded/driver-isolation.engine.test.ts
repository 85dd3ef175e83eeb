import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createEmbeddedRig, type EmbeddedRig, until } from '../../../test/support/embedded-rig.ts'
import { patienceMs } from '../../../test/support/warehouse.ts'
import { systemClock } from '../../lib/clock.ts'
import { describeSupport, supportText } from '../../process/confine/confine.ts'
import { type Launched, launch, prepareWorkDir } from '../../process/supervise/launch.ts'
import { createSpares, type Spare } from '../../process/supervise/spares.ts'
import type { ReplicaSpec, ReplicaStatus } from './protocol.ts'
import { createReplicaClient } from './replica-client.ts'
import { createReplicaKind, type ReplicaKind } from './replica-kind.ts'
import { resolveRuntime } from './runtime.ts'

const support = describeSupport()
const skip = support.by === 'none' ? supportText(support) : false
/** The main thread, which confines itself, Node's own, and the egress supervisor; only the first runs SQL. */
const harmless = ['DelayedTaskSche', 'MainThread', 'SignalInspector', 'V8Worker', 'WorkerThread']

function specOf({ dataDir }: EmbeddedRig, name: string): ReplicaSpec {
  const folder = join(dataDir, 'warehouses', name)
  return {
    ...{ replicaId: name, role: 'writer', serviceId: name, warehouseId: name, epoch: 1 },
    ...{ dataDir: join(folder, 'data'), workDir: join(folder, 'replicas', `${name}.1`) },
    ...{ socketPath: join(dataDir, 'sockets', name), backupsDir: join(dataDir, 'backups/.jobs', name) },
    ...{ memoryBytes: 2 ** 31, orphanAfterMs: 60_000, drainMs: 0, isolation: 'required' },
  }
}

async function takeSpare(t: TestContext, { dataDir, log }: EmbeddedRig, kind: ReplicaKind): Promise<Spare> {
  const path = join(dataDir, 'warehouses', '.spares')
  const spares = createSpares({ path, kind, clock: systemClock, log, isQuiet: () => true })
  t.after(() => spares.close())
  spares.keep(1)
  const taken: Spare[] = []
  const take = () => {
    const spare = spares.take()
    if (spare) taken.push(spare)
    return spare !== null
  }
  await until('one has loaded the engine', take, patienceMs)
  return taken[0] ?? assert.fail()
}

async function statusOf(t: TestContext, spec: ReplicaSpec, { child }: Launched): Promise<ReplicaStatus> {
  t.after(() => child.kill('SIGKILL'))
  const client = createReplicaClient(spec, patienceMs)
  t.after(() => client.close())
  const answers: ReplicaStatus[] = []
  const isUp = () =>
    client.status().then(
      (status) => answers.push(status) > 0,
      () => false,
    )
  await until('it serves', isUp, patienceMs)
  return answers[0] ?? assert.fail()
}

/** Names of the threads that ran before the process confined itself: all later threads are confined. */
function olderThreads({ workDir }: ReplicaSpec): string[] {
  const lines = readFileSync(join(workDir, 'replica.log'), 'utf8').split('\n')
  const line = lines.find((text) => text.includes('"older"')) ?? assert.fail('it did not confine itself')
  return (JSON.parse(line) as { older: string[] }).older
}

test('every thread of a replica that runs SQL is confined, of one that was a spare too', {
  skip,
  timeout: 4 * patienceMs,
}, async (t) => {
  const runtime = resolveRuntime()
  if ('missing' in runtime) assert.fail(runtime.missing)
  const kind = createReplicaKind(runtime)
  const rig = createEmbeddedRig(t)
  const [fresh, former] = [specOf(rig, 'fresh'), specOf(rig, 'former')]
  for (const spec of [fresh, former]) await prepareWorkDir(kind, spec)
  const spare = await takeSpare(t, rig, kind)
  await spare.become(former)
  for (const [spec, launched] of [
    [former, spare],
    [fresh, await launch(fresh.workDir, kind)],
  ] as const) {
    const { pid, isolation } = await statusOf(t, spec, launched)
    assert.equal(isolation, supportText(support))
    assert.deepEqual(olderThreads(spec), harmless, spec.replicaId)
    assert.ok(readdirSync(`/proc/${pid}/task`).length > 100, 'the pool runs')
  }
})
