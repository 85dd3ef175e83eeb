// A source of numbers, for tests of the pipe runtime: lanes `n/0`, `n/1`, … each count from 0. A file tells it what
// to do, and it looks there again and again, so that a test can change it while a pipe runs.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import {
  type Lane,
  type ReadTask,
  SourceError,
  type SourceKind,
  type SourcePipe,
} from '../../../src/pipes/source.ts'

export interface NumbersOrders {
  lanes: number
  /** Each lane ends here. */
  until: number
  /** Numbers of a batch. */
  batch: number
  /** A source that has no end waits for more. */
  isContinuous?: boolean
  /** Every so-manieth number is rejected by the source. */
  rejectEvery?: number
  /** Fails instead of reading. */
  fail?: { verdict: 'retry' | 'stop' | 'bug'; message: string }
  /** Ends the process at this number of any lane; -1 = already when the source is looked at. */
  crashAt?: number
  /** Allocates so much before it reads. */
  hogBytes?: number
}

const waitMs = 20
const hogged: Buffer[] = []

/** The path of the orders file is where Kafka has its brokers. */
const ordersOf = ({ source }: SourcePipe): NumbersOrders =>
  JSON.parse(readFileSync(source.kafka?.brokers ?? '', 'utf8')) as NumbersOrders

export const sourceKind: SourceKind = {
  async check(pipe, { sample }) {
    const { fail, crashAt } = ordersOf(pipe)
    if (crashAt === -1) process.exit(9)
    if (fail) return { ok: false, problems: [{ path: ['kafka', 'brokers'], message: fail.message }] }
    if (!sample) return { ok: true, sample: null }
    return {
      ok: true,
      sample: {
        ...{ kind: 'bytes', format: 'JSONEachRow', settings: {} },
        bytes: Buffer.from('{"lane":0,"n":0}\n'),
      },
    }
  },
  async read(task) {
    const { lanes } = ordersOf(task.pipe)
    const mine = Array.from({ length: lanes }, (_, n) => n).filter(
      (n) => n % task.worker.count === task.worker.index,
    )
    const ends = await Promise.all(mine.map((n) => readLane(task, n)))
    return ends.includes('stopped') ? 'stopped' : 'completed'
  },
  async remove() {},
}

async function readLane(task: ReadTask, number: number): Promise<'completed' | 'stopped'> {
  const lane = await leaseSoon(task, `n/${number}`)
  while (lane && !task.signal.aborted) {
    const orders = ordersOf(task.pipe)
    obey(orders)
    const from = Number(lane.position ?? 0)
    const lag = orders.until - from
    task.report({ lag: { records: lag, ms: null }, waiting: '', facts: { lanes: orders.lanes } })
    if (lag > 0) await commitNext(lane, number, from, orders)
    else if (orders.isContinuous) await setTimeout(waitMs)
    else return 'completed'
  }
  return 'stopped'
}

async function leaseSoon(task: ReadTask, name: string): Promise<Lane | null> {
  while (!task.signal.aborted) {
    const lane = await task.lease(name)
    if (lane) return lane
    await setTimeout(waitMs)
  }
  return null
}

async function commitNext(lane: Lane, number: number, from: number, orders: NumbersOrders): Promise<void> {
  const to = Math.min(orders.until, from + orders.batch)
  const spool = await lane.spool()
  spool.format('JSONEachRow')
  for (let n = from; n < to; n++) {
    if (n === orders.crashAt) process.exit(9)
    const [source, position, bytes] = [lane.name, String(n), Buffer.from(`{"lane":${number},"n":${n}}\n`)]
    if (orders.rejectEvery && n % orders.rejectEvery === 0)
      spool.reject({ source, position, raw: bytes, code: 'parse', reason: `${n} is not wanted` })
    else spool.append({ source, position, bytes })
  }
  await lane.commit({ first: String(from), last: String(to), content: spool, sourceBytes: spool.bytes })
}

function obey({ fail, hogBytes = 0 }: NumbersOrders): void {
  if (hogBytes > 0) hogged.push(Buffer.alloc(hogBytes, 1))
  if (!fail) return
  if (fail.verdict === 'bug') throw new TypeError(fail.message)
  throw new SourceError(fail.verdict, fail.message)
}
