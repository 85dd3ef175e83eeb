import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../engine-error.ts'
import type { Connections } from '../engine/connections.ts'
import type { SessionWish } from '../http/parameters.ts'
import { createSessions, maxSessions, maxSessionsOfOwner } from './sessions.ts'

const wish = (given: Partial<SessionWish> = {}): SessionWish => ({
  ...{ key: 'k', owner: 'u', id: 'k', timeoutMs: 60_000, mustExist: false, closeAfter: false },
  ...given,
})
const noChanges = { settings: [], database: '', isEngineReadOnly: false, substitutions: [] }
const hasCode = (code: number) => (error: unknown) => error instanceof EngineError && error.code === code

function fakeConnections(readonly = '0') {
  const log: string[] = []
  let made = 0
  const connections = {
    async take({ setup }: { setup: string }) {
      const id = ++made
      log.push(`${id} made ${setup}`)
      return {
        tag: `t${id}`,
        async query(sql: string) {
          log.push(`${id} ${sql}`)
          if (sql.includes('bad')) throw new EngineError(115, 'UNKNOWN_SETTING', 'bad')
          const bytes = Buffer.from(`["${readonly}","old",["a"],["1"]]`)
          return { bytes, elapsedSeconds: 0, rowsRead: 0, bytesRead: 0 }
        },
        release: (state: string) => void log.push(`${id} ${state}`),
      }
    },
  } as unknown as Connections
  return { connections, log }
}

test('a session is one connection, for one request at a time', async () => {
  const { connections } = fakeConnections()
  const sessions = createSessions(connections)
  const first = await sessions.enter(wish(), noChanges)
  await assert.rejects(sessions.enter(wish(), noChanges), hasCode(373))
  const other = await sessions.enter(wish({ key: 'other' }), noChanges)
  assert.notEqual(other.tag, first.tag)
  await first.leave()
  assert.equal((await sessions.enter(wish({ mustExist: true }), noChanges)).tag, first.tag)
  await assert.rejects(sessions.enter(wish({ key: 'none', mustExist: true }), noChanges), hasCode(372))
})

test('two first requests at the same moment do not make two sessions', async () => {
  const { connections, log } = fakeConnections()
  const sessions = createSessions(connections)
  const both = await Promise.allSettled([
    sessions.enter(wish(), noChanges),
    sessions.enter(wish(), noChanges),
  ])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  assert.equal(log.filter((line) => line.includes('made')).length, 1)
  for (const entered of both) if (entered.status === 'fulfilled') await entered.value.leave()
  const next = await Promise.allSettled([
    sessions.enter(wish(), noChanges),
    sessions.enter(wish(), noChanges),
  ])
  assert.deepEqual(
    next.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
})

test('what the request says counts for one statement', async () => {
  const { connections, log } = fakeConnections()
  const sessions = createSessions(connections)
  const session = await sessions.enter(wish(), { ...noChanges, settings: [['a', '2']], database: 'd' })
  await session.query('SELECT 1')
  await session.leave()
  assert.deepEqual(
    log.filter((line) => !line.includes('system.settings')),
    ['1 made ', "1 SET a = '2';USE `d`", '1 SELECT 1', "1 SET a = '1';USE `old`"],
  )
})

test('access is of the request, not of the session', async () => {
  const { connections, log } = fakeConnections()
  const sessions = createSessions(connections)
  const readOnly = { ...noChanges, isEngineReadOnly: true }
  for (const changes of [readOnly, noChanges]) {
    const session = await sessions.enter(wish(), changes)
    await session.query('SELECT 1')
    await session.leave()
  }
  assert.deepEqual(
    log.filter((line) => !line.includes('getSetting')),
    ['1 made ', '1 SET readonly = 2', '1 SELECT 1', '1 SET readonly = DEFAULT', '1 SELECT 1'],
  )
})

test('a session that its client made read-only stays so', async () => {
  const { connections, log } = fakeConnections('1')
  const sessions = createSessions(connections)
  await (await sessions.enter(wish(), { ...noChanges, isEngineReadOnly: true })).leave()
  assert.deepEqual(
    log.filter((line) => line.includes('SET')),
    [],
  )
})

test('a user with too many sessions loses the one that was idle for longest, and no other user does', async () => {
  const { connections, log } = fakeConnections()
  const sessions = createSessions(connections)
  const use = async (key: string, owner = 'u') =>
    (await sessions.enter(wish({ key, owner }), noChanges)).leave()
  await use('of another', 'v')
  for (let i = 0; i < maxSessionsOfOwner; i++) await use(`s${i}`)
  await use('s0')
  await use('new')
  assert.deepEqual(
    log.filter((line) => line.includes('dirty')),
    ['3 dirty'],
  )
  for (const key of ['s0', 's2', 'new'])
    await (await sessions.enter(wish({ key, mustExist: true }), noChanges)).leave()
  await assert.rejects(sessions.enter(wish({ key: 's1', mustExist: true }), noChanges), hasCode(372))
})

test('busy sessions are not taken away: only where all are, another one is refused', async () => {
  const { connections } = fakeConnections()
  const sessions = createSessions(connections)
  const enter = (key: string, owner: string) => sessions.enter(wish({ key, owner }), noChanges)
  for (let i = 0; i < maxSessions; i++) {
    const entered = await enter(`k${i}`, `u${Math.floor(i / maxSessionsOfOwner)}`)
    if (i === 7) await entered.leave()
  }
  await enter('one more', 'w')
  await assert.rejects(enter('too many', 'w'), hasCode(763))
  await assert.rejects(enter('too many of hers', 'u1'), hasCode(763))
})

test('a session that cannot be brought back is given up', async () => {
  const { connections, log } = fakeConnections()
  const sessions = createSessions(connections)
  await assert.rejects(sessions.enter(wish(), { ...noChanges, settings: [['bad', '1']] }), hasCode(115))
  const again = await sessions.enter(wish({ closeAfter: true }), noChanges)
  assert.equal(again.tag, 't1')
  await again.leave()
  assert.equal(log.at(-1), '1 dirty')
  await assert.rejects(sessions.enter(wish({ mustExist: true }), noChanges), hasCode(372))
})

test('a session ends when nobody uses it for its time', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { connections, log } = fakeConnections()
  const sessions = createSessions(connections)
  await (await sessions.enter(wish({ timeoutMs: 1000 }), noChanges)).leave()
  context.mock.timers.tick(999)
  assert.notEqual(log.at(-1), '1 dirty')
  context.mock.timers.tick(1)
  assert.equal(log.at(-1), '1 dirty')
  await assert.rejects(sessions.enter(wish({ mustExist: true }), noChanges), hasCode(372))
})
