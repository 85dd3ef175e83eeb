import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Series } from '../domain/dashboard/types.ts'
import { AppError } from '../domain/errors.ts'
import type { SourceRecord } from '../domain/source/types.ts'
import type { Asking } from '../gateway/internal/ask.ts'
import { systemClock } from '../lib/clock.ts'
import { createQueries } from './queries.ts'
import type { TileQuestion } from './question.ts'
import { createResultRoom } from './result-room.ts'

const mebibyte = 1024 * 1024

/** A service whose every statement answers with these rows. */
function queriesOver(rows: () => Iterable<unknown[]>) {
  let statements = 0
  const ask = async () => {
    statements++
    async function* body() {
      for (const row of rows()) yield Buffer.from(`${JSON.stringify({ row })}\n`)
    }
    return { exception: null, headers: {}, servedBy: 'r', body: body() }
  }
  const limits = { timeoutSeconds: 30, memoryMb: 4, readRows: 0, resultRows: 200_000 }
  const parts = { clock: systemClock, limits, sign: (text: string) => text }
  const queries = createQueries({ ask: ask as unknown as Asking['ask'], ...parts })
  return { queries, statements: () => statements }
}

function question(count: number): TileQuestion {
  const source = { id: 's', serviceId: 's', database: 'default', aliases: {} } as unknown as SourceRecord
  const series = {
    type: 'table',
    aggFn: 'none',
    where: '',
    groupBy: [],
    sql: 'SELECT 1',
  } as unknown as Series
  return {
    ...{ type: 'table', isRatio: false, span: { startMs: 0, endMs: 60_000 }, granularity: 'auto' },
    ...{ where: '', whereLanguage: 'lucene', variables: {}, isSpanGiven: true, refresh: false },
    ...{ principal: 'tile:t', series: Array.from({ length: count }, () => ({ series, source })) },
  }
}

const signal = new AbortController().signal
const isLimit = (error: unknown): boolean => error instanceof AppError && error.code === 'LIMIT_EXCEEDED'

test('the statements of an answer share what an answer may take', async () => {
  const { queries, statements } = queriesOver(() => [['x'.repeat(mebibyte)]])
  assert.equal((await queries.ask(question(3), { signal })).data.length, 3)
  await assert.rejects(queries.ask(question(20), { signal }), isLimit)
  assert.equal(statements(), 23)
  // What failed holds nothing.
  assert.equal((await queries.ask(question(3), { signal })).data.length, 3)
})

test('many small values count for what they take as values', async () => {
  const wide = Array.from({ length: 1_000 }, () => 1)
  const { queries } = queriesOver(() => Array.from({ length: 200 }, () => wide))
  await assert.rejects(queries.ask(question(1), { signal }), isLimit)
})

test('all answers of a moment share what there is, and what is over counts no more', () => {
  const hold = createResultRoom({ perAnswer: 10, inAll: 15 })
  const [first, second] = [hold(), hold()]
  first.add(10)
  second.add(5)
  assert.throws(() => second.add(1), { code: 'UNAVAILABLE' })
  second[Symbol.dispose]()
  assert.throws(() => second.add(1), { code: 394 })
  const third = hold()
  third.add(5)
  first[Symbol.dispose]()
  assert.throws(() => third.add(6), { code: 396 })
})
