import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../engine-error.ts'
import type { EngineResult } from '../engine/library.ts'
import { createRunningStatements } from './running.ts'

const result: EngineResult = { bytes: Buffer.alloc(0), elapsedSeconds: 0, rowsRead: 0, bytesRead: 0 }

function connection(tag: string) {
  const { promise, resolve } = Promise.withResolvers<EngineResult>()
  return { tag, query: () => promise, finish: () => resolve(result) }
}

test('an id runs once at a time', () => {
  const statements = createRunningStatements(async () => '')
  const first = statements.add('q')
  assert.throws(
    () => statements.add('q'),
    (error) => error instanceof EngineError && error.code === 216,
  )
  first.remove()
  statements.add('q').remove()
  assert.equal(statements.size, 0)
})

test('what has not begun when it is cancelled never runs', async () => {
  const statement = createRunningStatements(async () => '').add('q')
  await statement.cancel()
  await assert.rejects(statement.run(connection('t'), 'SELECT 1'), /cancelled/)
})

test('the engine is asked until it has found the statement', async () => {
  const asked: string[] = []
  const statements = createRunningStatements(async (sql) => {
    asked.push(sql)
    if (asked.length === 1) return ''
    if (asked.length === 2) throw new Error('no memory')
    return 'waiting\tid\n'
  })
  const statement = statements.add('q')
  const engine = connection('granary-5')
  const running = statement.run(engine, 'SELECT 1')
  assert.equal(statements.byTag('granary-5'), statement)
  await statement.cancel()
  assert.equal(asked.length, 3)
  assert.match(asked[0] ?? '', /'granary-5' ASYNC$/)
  engine.finish()
  await running
  assert.equal(statements.byTag('granary-5'), undefined)
})

test('a statement that ends by itself is not asked for any more', async () => {
  const engine = connection('t')
  const statement = createRunningStatements(async () => {
    engine.finish()
    return ''
  }).add('q')
  const running = statement.run(engine, 'SELECT 1')
  await Promise.all([statement.cancel(), running])
  assert.equal(statement.hasEnded, true)
})

test('idle is when nothing runs', async () => {
  const statements = createRunningStatements(async () => '')
  await statements.idle()
  const [a, b] = [statements.add('a'), statements.add('b')]
  let isIdle = false
  const idle = statements.idle().then(() => {
    isIdle = true
  })
  a.remove()
  await new Promise(setImmediate)
  assert.equal(isIdle, false)
  b.remove()
  await idle
})
