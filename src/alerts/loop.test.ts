import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createLoopRig } from '../../test/support/loop-rig.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { addOrganization, dashboardOf } from '../../test/support/store-records.ts'
import type { Measured } from '../domain/alert/evaluate.ts'
import type { AlertRecord } from '../domain/alert/types.ts'
import type { DashboardRecord } from '../domain/dashboard/types.ts'
import { AppError } from '../domain/errors.ts'
import { readEgressList } from '../lib/egress/list.ts'
import { newHexId } from '../lib/ids.ts'
import { createAlertLoop } from './loop.ts'
import type { Measure } from './measure.ts'
import { type Attempt, createWebhooks, type Webhook } from './send-webhook.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const tile = {
  ...{ id: 'a'.repeat(24), name: 'Errors', x: 0, y: 0, w: 1, h: 1, asRatio: false },
  series: [{ type: 'number', dataSource: 'events', aggFn: 'count', where: '', groupBy: [] }],
} satisfies DashboardRecord['tiles'][number]

/** An alert on a real store and driver; the test says what is measured and what the webhook answers. */
async function createRig(t: TestContext, over: Partial<AlertRecord> = {}, timeScale = 1) {
  const rig = await createLoopRig(t)
  const { store, clock, log } = rig
  const { id: organizationId } = await addOrganization(store)
  const dashboard = dashboardOf({ tiles: [tile] })
  await store.dashboards.insert(organizationId, dashboard, clock.now())
  const alert: AlertRecord = {
    ...{ id: newHexId(0), organizationId, dashboardId: dashboard.id, tileId: tile.id, name: 'Errors' },
    ...{ message: 'Look', enabled: true, interval: '1m', threshold: 10, thresholdType: 'above' },
    ...{ numConsecutiveWindows: 1, url: 'https://hooks.example.com/secret-path?x=1' },
    status: {
      ...{
        state: 'INSUFFICIENT_DATA',
        sinceMs: 0,
        lastValue: null,
        lastEvaluatedAtMs: null,
        lastError: null,
      },
      ...{ breaches: 0, nextAtMs: 0, evaluations: 0, pending: [] },
    },
    ...{ createdAtMs: clock.now(), updatedAtMs: clock.now(), ...over },
  }
  await store.transaction((tx) => tx.alerts.insert(alert, secret))
  const sent: Webhook[] = []
  const rest: { measured: Measured[] | null | AppError; answer: Attempt } = {
    measured: [{ group: [], value: 5 }],
    answer: { status: 200, error: null },
  }
  const measure: Measure = async () => {
    if (rest.measured instanceof AppError) throw rest.measured
    return rest.measured
  }
  const webhooks = {
    async send(webhook: Webhook): Promise<Attempt> {
      sent.push(webhook)
      return rest.answer
    },
  }
  const loop = createAlertLoop({ store, clock, log, measure, webhooks, timeScale })
  return {
    ...rig,
    ...{ alert, dashboard, sent, rest, loop },
    value: (value: number | null) => {
      rest.measured = [{ group: [], value }]
    },
    status: async () => (await store.alerts.find(alert.id))?.status ?? assert.fail('no alert'),
    history: () => store.alerts.history(alert.id, 1000),
    events: () => sent.map(({ body }) => (JSON.parse(body) as { event: string }).event),
  }
}

test('one webhook when an alert begins, one when it ends, none in between', async (t) => {
  const rig = await createRig(t)
  const startMs = rig.clock.now()
  rig.start(rig.loop)
  await rig.clock.advance(1_000)
  assert.equal((await rig.status()).state, 'OK')
  rig.value(12)
  await rig.clock.advance(180_000)
  const { state, sinceMs, lastValue } = await rig.status()
  assert.deepEqual([state, lastValue, rig.events()], ['ALERT', 12, ['alert.fired']])
  assert.ok(sinceMs - startMs >= 60_000 && sinceMs - startMs < 62_000)
  rig.value(3)
  await rig.clock.advance(120_000)
  assert.deepEqual(rig.events(), ['alert.fired', 'alert.resolved'])

  const [fired] = rig.sent
  const body = JSON.parse(fired?.body ?? '')
  assert.deepEqual(Object.keys(body), [
    ...['event', 'alert', 'dashboard', 'tile', 'value', 'threshold', 'thresholdType', 'groups'],
    ...['startTime', 'endTime', 'sentAt'],
  ])
  assert.deepEqual(body.alert, { id: rig.alert.id, name: 'Errors', message: 'Look' })
  assert.deepEqual(body.tile, { id: tile.id, name: 'Errors' })
  assert.deepEqual([body.value, body.groups, body.endTime - body.startTime], [12, [], 60_000])
  assert.notEqual(fired?.id, rig.sent[1]?.id)
  const history = await rig.history()
  assert.deepEqual(
    history
      .map((entry) => [entry.state, entry.value, entry.delivery?.event ?? null])
      .reverse()
      .slice(0, 3),
    [
      ['OK', 5, null],
      ['ALERT', 12, 'alert.fired'],
      ['ALERT', 12, null],
    ],
  )
  const told = history.find(({ delivery }) => delivery?.event === 'alert.fired')
  assert.deepEqual(told?.delivery, { event: 'alert.fired', attempts: 1, status: 200, error: null })
})

test('a webhook that is not taken is sent again after 1, 2, 4 and 8 s under its id, then given up', async (t) => {
  const rig = await createRig(t)
  rig.value(12)
  rig.rest.answer = { status: 500, error: 'it answered 500' }
  rig.start(rig.loop)
  const counts: number[] = []
  for (const ms of [500, 1_000, 2_000, 4_000, 8_000, 20_000]) {
    await rig.clock.advance(ms)
    counts.push(rig.sent.length)
  }
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 5])
  assert.equal(new Set(rig.sent.map(({ id, body }) => id + body)).size, 1)
  const { lastError, pending } = await rig.status()
  assert.deepEqual([lastError, pending], [{ code: 'WEBHOOK_ERROR', message: 'it answered 500' }, []])
  const [entry] = await rig.history()
  assert.deepEqual(entry?.delivery, {
    event: 'alert.fired',
    attempts: 5,
    status: 500,
    error: 'it answered 500',
  })
  const logged = JSON.stringify(rig.log.lines)
  assert.ok(
    logged.includes('hooks.example.com') && !logged.includes('secret-path') && !logged.includes(secret),
  )
})

test('a restart between the change and the webhook neither loses nor repeats it', async (t) => {
  const rig = await createRig(t)
  rig.value(12)
  const claim = { kind: 'alert', id: rig.alert.id, owner: 'a', epoch: 1, generation: 1, attempts: 0 }
  const context = { signal: new AbortController().signal, claim }
  await rig.store.work.claim({ owner: 'a', kinds: ['alert'], limit: 1, leaseMs: 60_000 })
  await rig.loop.reconcile(rig.alert.id, context)
  assert.deepEqual([(await rig.status()).pending.length, rig.sent.length], [1, 0])

  const stopped = AbortSignal.abort()
  await assert.rejects(rig.loop.reconcile(rig.alert.id, { signal: stopped, claim }))
  const [{ id } = { id: '' }] = (await rig.status()).pending
  assert.equal(rig.sent[0]?.id, id)
  rig.start(rig.loop)
  await rig.clock.advance(61_000)
  assert.deepEqual(
    rig.sent.map((webhook) => webhook.id),
    [id, id],
  )
  await rig.clock.advance(180_000)
  assert.equal(rig.sent.length, 2)
})

test('a service that sleeps leaves its turn out; an error is told and changes no state', async (t) => {
  const rig = await createRig(t, { status: { ...(await createRig(t)).alert.status, state: 'OK' } })
  rig.rest.measured = null
  rig.start(rig.loop)
  await rig.clock.advance(130_000)
  assert.deepEqual([await rig.history(), (await rig.status()).lastEvaluatedAtMs], [[], null])
  const limit = 'the limit GRANARY_TILE_TIMEOUT_SECONDS (30) ended the query'
  for (const [error, code] of [
    [new AppError('BAD_REQUEST', 'series[0].where: no field x'), 'QUERY_ERROR'],
    [new AppError('LIMIT_EXCEEDED', limit), 'QUERY_TIMEOUT'],
  ] as const) {
    rig.rest.measured = error
    await rig.clock.advance(60_000)
    const { state, lastError } = await rig.status()
    assert.deepEqual([state, lastError], ['OK', { code, message: error.message }])
    const [entry] = await rig.history()
    assert.deepEqual([entry?.state, entry?.value, entry?.error?.code], ['OK', null, code])
  }
  rig.value(1)
  await rig.clock.advance(60_000)
  assert.equal((await rig.status()).lastError, null)
  assert.deepEqual(rig.sent, [])
})

test('time scale shortens the interval, never the range', async (t) => {
  const rig = await createRig(t, { interval: '1h' }, 3_600)
  rig.start(rig.loop)
  await rig.clock.advance(10_500)
  const history = await rig.history()
  assert.ok(history.length >= 9 && history.length <= 11, String(history.length))
  assert.ok(history.every(({ startTime, endTime }) => endTime - startTime === 3_600_000))
})

test('an alert goes with its tile', async (t) => {
  const rig = await createRig(t)
  rig.start(rig.loop)
  await rig.clock.advance(1_000)
  assert.equal((await rig.history()).length, 1)
  await rig.store.dashboards.replace(rig.alert.organizationId, { ...rig.dashboard, tiles: [] }, 1)
  assert.equal(await rig.store.alerts.find(rig.alert.id), null)
  assert.deepEqual(await rig.history(), [])
  await rig.clock.advance(61_000)
  assert.deepEqual(await rig.queued(), [])
})

test('a webhook is signed, follows no redirect and reaches only allowed addresses', async (t) => {
  const seen: { url: string; headers: Record<string, unknown>; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body })
      const isMoved = request.url === '/moved'
      response.writeHead(isMoved ? 302 : 204, isMoved ? { location: '/elsewhere' } : {}).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const clock = createManualClock(1_700_000_000_500)
  const allowing = createWebhooks({ clock, list: readEgressList('127.0.0.0/8') })
  const url = `http://127.0.0.1:${port}`
  const webhook = { url: `${url}/x?y=1`, id: 'msg_1', body: '{"é":1}', secret }
  assert.deepEqual(await allowing.send(webhook), { status: 204, error: null })
  const [first] = seen
  const signature = createHmac('sha256', Buffer.alloc(32, 7))
    .update('msg_1.1700000000.{"é":1}')
    .digest('base64')
  assert.deepEqual(
    [first?.url, first?.body, first?.headers['webhook-id'], first?.headers['webhook-timestamp']],
    ['/x?y=1', '{"é":1}', 'msg_1', '1700000000'],
  )
  assert.equal(first?.headers['webhook-signature'], `v1,${signature}`)
  assert.deepEqual(await allowing.send({ ...webhook, url: `${url}/moved` }), {
    status: 302,
    error: 'it answered 302',
  })
  assert.equal(seen.length, 2)

  const strict = createWebhooks({ clock, list: readEgressList('public') })
  for (const host of [
    '127.0.0.1',
    'localhost',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ]) {
    const { status, error } = await strict.send({ ...webhook, url: `http://${host}:${port}/` })
    assert.equal(status, null, host)
    assert.match(error ?? '', /GRANARY_WEBHOOK_ALLOW/, host)
  }
  assert.equal(seen.length, 2)
  for (const host of [
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '[fd00::1]',
    '[fe80::1]',
    '224.0.0.1',
    '017700000001',
    'localhost',
  ])
    assert.match((await strict.refusal(`http://${host}/`)) ?? '', /GRANARY_WEBHOOK_ALLOW/, host)
  assert.equal(await allowing.refusal(`${url}/`), null)
  assert.equal(await strict.refusal('https://8.8.8.8/'), null)
})
