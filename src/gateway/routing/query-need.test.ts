import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NeedQuestion, needOf } from './query-need.ts'
import { planStatement } from './statement-plan.ts'

function need(text: string | null, question: Partial<NeedQuestion> = {}) {
  return needOf({
    plan: text === null ? null : planStatement(text),
    isPrimary: true,
    isReadOnly: false,
    isSequential: false,
    hasSession: false,
    sessionAt: '',
    wroteTo: '',
    isBehind: false,
    isLacking: false,
    steadyAt: '',
    ...question,
  })
}

test('a statement that was not read yet needs only that the service is up', () => {
  assert.deepEqual(need(null), { need: 'any', preferred: '' })
  assert.deepEqual(need(null, { wroteTo: 'w' }), { need: 'any', preferred: '' })
})

test('a client reads its own writes where it wrote', () => {
  assert.deepEqual(need('SELECT 1', { wroteTo: 'w' }), { need: 'ownWrites', preferred: 'w' })
  assert.deepEqual(need('SHOW TABLES', { wroteTo: 'w' }), { need: 'ownWrites', preferred: 'w' })
  assert.equal(need('INSERT INTO t VALUES (1)', { wroteTo: 'w' }).need, 'writer')
})

test('while readers may show what was taken away, the warehouse is read at its writer', () => {
  assert.deepEqual(need('SELECT 1', { isBehind: true }), { need: 'ownWrites', preferred: '' })
  assert.equal(need('INSERT INTO t VALUES (1)', { isBehind: true }).need, 'writer')
})

test('a steady question prefers its replica while readers are not behind', () => {
  assert.deepEqual(need('SELECT 1', { steadyAt: 'r1' }), { need: 'any', preferred: 'r1' })
  assert.deepEqual(need('SELECT 1', { steadyAt: 'r1', isBehind: true }), { need: 'ownWrites', preferred: '' })
})

test('a consistent read goes to the writer, also of a read-only user', () => {
  assert.equal(need('SELECT 1', { isSequential: true }).need, 'writer')
  assert.equal(need('SELECT 1', { isSequential: true, isReadOnly: true }).need, 'writer')
})

test('a write that the engine will refuse needs no writer', () => {
  assert.equal(need('INSERT INTO t VALUES (1)', { isReadOnly: true }).need, 'any')
  assert.equal(need('DROP TABLE t', { isReadOnly: true, wroteTo: 'w' }).need, 'any')
})

test('a session stays with the writer of its service, or where it began', () => {
  const session = { hasSession: true, sessionAt: 'r2' }
  assert.deepEqual(need('SELECT 1', session), { need: 'writer', preferred: 'r2' })
  assert.deepEqual(need('SELECT 1', { ...session, isPrimary: false }), { need: 'any', preferred: 'r2' })
  assert.equal(need('SELECT 1', { ...session, isPrimary: false, wroteTo: 'w' }).need, 'any')
  assert.equal(need('CREATE TEMPORARY TABLE t (a Int8)', { ...session, isPrimary: false }).need, 'any')
  assert.equal(need('INSERT INTO t VALUES (1)', { ...session, isPrimary: false }).need, 'writer')
})

test('what a reader lacked is looked for at the writer', () => {
  assert.equal(need('SELECT 1', { isLacking: true }).need, 'writerFirst')
})
