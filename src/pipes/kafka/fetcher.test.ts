import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { SourceError } from '../source.ts'
import type { FetchedPartition, FetchRequest } from './fetch-request.ts'
import { createFetcher, type Want } from './fetcher.ts'

type Answer = FetchedPartition[] | Error | 'held'

/** One broker that leads every partition of the topic `t`. `reply` says what it answers; 'held' = nothing, for as long as it may. */
function createRig(t: TestContext, lanes: number) {
  const clock = createManualClock()
  const ending = new AbortController()
  t.after(() => ending.abort())
  const held: number[] = []
  let reply: (request: FetchRequest) => Answer = () => 'held'
  const fetcher = createFetcher({
    ...{ clock, signal: ending.signal, idleWaitMs: 20_000, lanes: () => lanes, onAnswer: () => undefined },
    topology: { topics: () => [], leaderOf: () => 1, refresh: async () => undefined },
    cluster: {
      async fetch(_, request) {
        held.push(request.maxWaitMs)
        const answer = reply(request)
        if (answer instanceof Error) throw answer
        if (answer !== 'held') return answer
        await clock.sleep(request.maxWaitMs, ending.signal)
        return request.partitions.map(({ partition }) => answerOf(partition, 0))
      },
    },
  })
  const next = (partition: number, more: Partial<Want> = {}) =>
    fetcher.next({ topic: 't', partition, offset: 0, untilMs: null, ...more }, ending.signal)
  return {
    ...{ clock, held, next, fetcher },
    answer(given: typeof reply) {
      reply = given
    },
  }
}

const answerOf = (partition: number, bytes: number): FetchedPartition => ({
  ...{ topic: 't', partition, errorCode: 0, stableOffset: 0, startOffset: 0, aborted: [] },
  batches: { length: bytes, buffers: [] },
})

test('lanes without data ask ever more rarely, and at once again after data', async (t) => {
  const { clock, held, next, answer } = createRig(t, 2)
  const first = next(0)
  const other = next(1)
  other.catch(() => undefined)
  await clock.advance(120_000)
  // The first request is sent before the other lane asks.
  assert.deepEqual(held.slice(0, 7), [100, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000])
  assert.equal(held.length, 11)
  answer(({ partitions }) => (partitions.length === 2 ? [answerOf(0, 10)] : 'held'))
  await clock.advance(held.at(-1) ?? 0)
  assert.equal((await first).batches.length, 10)
  answer(() => 'held')
  // One lane is at work, and will want more soon.
  assert.equal(held.at(-1), 100)
  next(0).catch(() => undefined)
  await clock.advance(100)
  assert.equal(held.at(-1), 1_000)
})

test('a broker that held a request for long and then fails is tried again before the source fails', async (t) => {
  const { clock, next, answer, fetcher } = createRig(t, 1)
  const reading = next(0)
  const failed = reading.catch((error: unknown) => error)
  await clock.advance(60_000)
  answer(() => new SourceError('retry', 'The connection ended.'))
  // The request that is held now still gets its answer, and those after it fail for nine seconds.
  await clock.advance(20_000)
  assert.equal(fetcher.waiting(), 'The connection ended.')
  answer(() => 'held')
  await clock.advance(10_000)
  assert.equal(fetcher.waiting(), '')
  answer(() => new SourceError('retry', 'The connection ended.'))
  await clock.advance(60_000)
  assert.match(String(await failed), /The connection ended/)
})
