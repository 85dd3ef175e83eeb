import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import { addOrganization, addService } from '../../test/support/store-records.ts'
import { createSqliteRig } from '../../test/support/store-rig.ts'
import type { PipeRunStatus } from '../domain/pipe/run-status.ts'
import type { EngineObservation } from '../engine/engine.ts'
import { createHistoryRecorder } from './history.ts'

const minuteMs = 60_000

async function createRig(t: TestContext) {
  const { store, clock, execute } = await createSqliteRig(t)
  // Minutes begin at whole ones.
  await clock.advance(5 * minuteMs - (clock.now() % (5 * minuteMs)))
  const { id: organizationId } = await addOrganization(store)
  const service = await addService(store, organizationId)
  let pipe: Partial<PipeRunStatus> | null = null
  const recorder = createHistoryRecorder({
    ...{ store, clock, log: createRecordingLog(), dataPlaneId: 'here' },
    pipeStatus: () => pipe as PipeRunStatus | null,
  })
  const stopping = new AbortController()
  const running = recorder.run(stopping.signal)
  t.after(async () => {
    stopping.abort()
    await running
  })
  const observe = (queries: number, residentBytes: number, startedAtMs = clock.now()) =>
    recorder.service(service, {
      storage: { parts: 1, usedBytes: 500 },
      replicas: [
        {
          id: 'a',
          startedAtMs,
          memoryBytes: 1000,
          usage: { residentBytes, queries, rowsRead: 0, rowsWritten: 2 },
        },
      ],
    } as unknown as EngineObservation)
  return {
    ...{ store, clock, service, organizationId, recorder, observe, execute },
    setPipe: (status: Partial<PipeRunStatus> | null) => {
      pipe = status
    },
  }
}

test('a minute is the peak of memory and the sum of counts, and five of them are one point', async (t) => {
  const { store, clock, service, organizationId, observe } = await createRig(t)
  const startMs = clock.now()
  const bornMs = startMs
  observe(3, 100, bornMs)
  observe(5, 300, bornMs)
  observe(6, 200, bornMs)
  await clock.advance(minuteMs)
  const [first] = await store.history.read('service', service.id, 60, 0)
  assert.deepEqual(first, {
    startMs,
    point: {
      memory: { a: 300 },
      memoryLimit: 1000,
      queries: 6,
      rowsRead: 0,
      rowsWritten: 2,
      storedBytes: 500,
    },
  })
  observe(10, 50, bornMs)
  // A replica that was started again counts from zero.
  observe(1, 60, bornMs + 1)
  await clock.advance(4 * minuteMs)
  const [five, ...others] = await store.history.read('service', service.id, 300, 0)
  assert.deepEqual([five?.startMs, five?.point.queries, five?.point.memory], [startMs, 11, { a: 300 }])
  assert.deepEqual(others, [])
  const [sum] = await store.history.readOrganization(organizationId, 300, 0)
  assert.deepEqual(sum?.point, {
    ...{ memoryBytes: 300, memoryLimitBytes: 1000, queries: 11, rowsWritten: 4, storedBytes: 500 },
  })
})

test('what ran before this process is not counted, and what does not run costs nothing', async (t) => {
  const { store, clock, service, observe, execute } = await createRig(t)
  observe(1_000_000, 10, clock.now() - 1)
  observe(1_000_002, 10, clock.now() - 1)
  await clock.advance(minuteMs)
  const [point] = await store.history.read('service', service.id, 60, 0)
  assert.equal(point?.point.queries, 2)
  await clock.advance(60 * minuteMs)
  const rows = await execute(`select count(*) as n from history`)
  // A minute and five minutes, of the service and of its organization.
  assert.equal(Number(rows[0]?.['n']), 4)
})

test('pipes are recorded by the difference of their counters, until they end', async (t) => {
  const { store, clock, service, recorder, setPipe } = await createRig(t)
  const pipe = { id: 'a-pipe', organizationId: service.organizationId }
  const status = { rows: 10, bytes: 100, rejected: 1, lag: { records: 5, ms: 2500 } }
  recorder.pipe(pipe)
  setPipe(status)
  recorder.pipe(pipe)
  await clock.advance(minuteMs)
  setPipe({ ...status, rows: 30, bytes: 400, rejected: 3 })
  await clock.advance(minuteMs)
  assert.equal(recorder.runningPipes().length, 1)
  setPipe(null)
  await clock.advance(minuteMs)
  const points = await store.history.read('pipe', 'a-pipe', 60, 0)
  assert.deepEqual(
    points.map(({ point }) => point),
    [
      {
        ...{ recordsIn: 22, recordsWritten: 20, bytesIn: 300, rejected: 2 },
        ...{ behindRecords: 5, behindSeconds: 3 },
      },
    ],
  )
  assert.equal(recorder.runningPipes().length, 0)
})

test('however long a service runs, its rows stay few', async (t) => {
  const { clock, observe, execute } = await createRig(t)
  for (let minute = 0; minute < 90; minute++) {
    observe(minute, 1, 0)
    await clock.advance(minuteMs)
  }
  const rows = await execute(`select count(*) as n from history where kind = 'service' and step = 60`)
  assert.ok(Number(rows[0]?.['n']) <= 66)
})
