import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../engine-error.ts'
import { createConnections, plainProfile } from './connections.ts'
import type { Library } from './library.ts'

function fakeLibrary() {
  const open: { args: readonly string[]; ran: string[] }[] = []
  const library: Library = {
    connect(_directory, args) {
      const connection = { args, ran: [] as string[] }
      open.push(connection)
      return {
        async query(sql) {
          connection.ran.push(sql)
          if (sql.includes('bad')) throw new EngineError(115, 'UNKNOWN_SETTING', sql)
          return { bytes: Buffer.from(sql), elapsedSeconds: 0, rowsRead: 0, bytesRead: 0 }
        },
        parse: async (sql) => ({ isValid: !sql.includes('bad'), hasSecrets: sql.includes('secret') }),
        close: () => void open.splice(open.indexOf(connection), 1),
      }
    },
  }
  return { open, library }
}

test('a clean connection serves the next request with the same settings only', async () => {
  const { open, library } = fakeLibrary()
  const connections = createConnections({ library, directory: '/d', firstArgs: ['--first'] })
  const set = { ...plainProfile, setup: 'SET a = 1' }
  const first = await connections.take(set)
  first.release('clean')
  const again = await connections.take(set)
  assert.equal(again.tag, first.tag)
  assert.deepEqual(open[1]?.ran, ['SET a = 1'])
  const others = [plainProfile, { ...set, substitutions: 'x' }, { ...set, args: ['--b=1'] }]
  for (const profile of others) assert.notEqual((await connections.take(profile)).tag, first.tag)
  assert.equal(open.length, 5)
  again.release('dirty')
  assert.equal(open.length, 4)
  assert.notEqual((await connections.take(set)).tag, first.tag)
})

test('one that cannot be set up is closed', async () => {
  const { open, library } = fakeLibrary()
  const connections = createConnections({ library, directory: '/d', firstArgs: [] })
  await assert.rejects(connections.take({ ...plainProfile, setup: 'SET bad = 1' }), /bad/)
  await assert.rejects(connections.run('bad'), /bad/)
  assert.equal(open.length, 1)
  assert.equal(await connections.run('good'), 'good')
  await connections.close()
  assert.equal(open.length, 0)
})

test('no more than so many wait; those that were not used longest are closed', async () => {
  const { open, library } = fakeLibrary()
  const connections = createConnections({ library, directory: '/d', firstArgs: [], maxIdle: 2 })
  const taken = await Promise.all(
    ['a', 'b', 'c'].map((setup) => connections.take({ ...plainProfile, setup })),
  )
  for (const connection of taken) connection.release('clean')
  assert.deepEqual(
    open.slice(1).map(({ ran }) => ran[0]),
    ['b', 'c'],
  )
})

test('the end waits for those in use', async () => {
  const { open, library } = fakeLibrary()
  const connections = createConnections({ library, directory: '/d', firstArgs: [] })
  const used = await connections.take(plainProfile)
  let isClosed = false
  const closing = connections.close().then(() => {
    isClosed = true
  })
  await new Promise(setImmediate)
  assert.equal(isClosed, false)
  used.release('clean')
  await closing
  assert.equal(open.length, 0)
})
