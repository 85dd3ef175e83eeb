import { backoffMs } from '../../lib/backoff.ts'
import type { Clock } from '../../lib/clock.ts'
import { SourceError } from '../source.ts'
import { toSourceError } from './client-errors.ts'
import type { Cluster } from './cluster.ts'
import type { FetchedPartition } from './fetch-request.ts'
import type { Topology } from './topology.ts'

/**
 * Fetches for all lanes of a worker: one request at a time to each broker, for all partitions that wait for it.
 * A broker answers as soon as it has data and holds the request until then, longer each time, so all lanes without
 * data cost a request every 20 seconds together.
 */
export interface Fetcher {
  /**
   * Resolves with data, with the error offsetOutOfRange, or without data when `untilMs` has come (null = never).
   * Rejects with a SourceError, or with the signal's reason.
   */
  next(want: Want, signal: AbortSignal): Promise<FetchedPartition>
  /** What is waited for, in words; "" while all brokers answer. */
  waiting(): string
  /** Whether lanes are at work, and do not wait for records. */
  isBusy(): boolean
}

export interface Want {
  topic: string
  partition: number
  offset: number
  untilMs: number | null
}

export const offsetOutOfRange = 1
/** The partition has another leader by now, or none: the protocol's codes that end with new metadata. */
const staleLeader = new Set([3, 5, 6, 9, 13, 56, 74, 75, 76, 100])
const topicAuthorizationFailed = 29

/** While lanes are at work and will ask soon, others hold the broker only briefly. */
const busyWaitMs = 100
/** The first wait without data. Each next one is twice as long, so that a lane that joins does not wait for long. */
const firstWaitMs = 1_000
/** A lane that gathers a batch is content with larger answers. */
const gatheringBytes = 64 * 1024
const partitionBytes = 1024 * 1024
const answerBytes = 4 * partitionBytes
/** When no broker answers for this long, the pipe is told. */
const silenceMs = 20_000

interface Waiting extends Want {
  resolve(fetched: FetchedPartition): void
  reject(error: unknown): void
}

export interface FetcherParts {
  cluster: Pick<Cluster, 'fetch'>
  topology: Topology
  clock: Clock
  signal: AbortSignal
  /** How long a broker holds a request at most while no lane has data. */
  idleWaitMs: number
  /** How many lanes there are, waiting or at work. */
  lanes(): number
  /** Called with each answer, also those without data. */
  onAnswer(fetched: FetchedPartition): void
}

export function createFetcher({ cluster, topology, clock, signal, ...parts }: FetcherParts): Fetcher {
  const waiting = new Set<Waiting>()
  const loops = new Set<number>()
  const troubles = new Map<number, string>()
  /** When a broker last answered, or was asked while all of them answered. */
  let wellMs = clock.now()
  let failure: SourceError | undefined

  function fail(error: unknown): void {
    failure ??= toSourceError(error)
    for (const want of waiting) want.reject(failure)
    waiting.clear()
  }

  const isBusy = (): boolean => parts.lanes() > waiting.size

  const wantsOf = (node: number): Waiting[] =>
    [...waiting].filter(({ topic, partition }) => topology.leaderOf(topic, partition) === node)

  function start(): void {
    for (const { topic, partition } of waiting) {
      const node = topology.leaderOf(topic, partition)
      if (loops.has(node)) continue
      loops.add(node)
      void fetchFrom(node)
        .catch(fail)
        .finally(() => {
          loops.delete(node)
          troubles.delete(node)
          if (waiting.size > 0 && !signal.aborted) start()
        })
    }
  }

  /** Ends when no partition waits for this node. */
  async function fetchFrom(node: number): Promise<void> {
    let asked = 0
    let waitMs = firstWaitMs
    for (let failures = 0; !signal.aborted; ) {
      const wants = wantsOf(node)
      if (wants.length === 0) return
      waitMs = Math.min(wants.length === asked ? 2 * waitMs : firstWaitMs, parts.idleWaitMs)
      asked = wants.length
      const trouble = await answer(node, wants, waitMs).then(
        (isStale) => (isStale ? 'The leader of a partition is not known.' : ''),
        (error: unknown) => {
          const failed = toSourceError(error)
          if (failed.verdict === 'stop') throw failed
          return failed.message
        },
      )
      if (trouble === '') {
        failures = 0
        troubles.delete(node)
        continue
      }
      const pauseMs = backoffMs(++failures, { baseMs: 200, maxMs: 5_000, random: () => 1 })
      troubles.set(node, trouble)
      // An answer after a failure soon tells that the broker is well.
      asked = 0
      if (clock.now() - wellMs > silenceMs) throw new SourceError('retry', trouble)
      await clock.sleep(pauseMs, signal)
      await topology.refresh().catch((error: unknown) => {
        if (toSourceError(error).verdict === 'stop') throw error
      })
    }
  }

  /** True = a partition's leader has changed. */
  async function answer(node: number, wants: readonly Waiting[], idleWaitMs: number): Promise<boolean> {
    if (node < 0) return true
    if (troubles.size === 0) wellMs = clock.now()
    const untilMs = Math.min(...wants.map((want) => want.untilMs ?? Number.POSITIVE_INFINITY))
    const maxWaitMs = Math.min(isBusy() ? busyWaitMs : idleWaitMs, untilMs - clock.now())
    const fetched = await cluster.fetch(node, {
      maxWaitMs: Math.max(0, Math.ceil(maxWaitMs)),
      minBytes: wants.every((want) => want.untilMs !== null) ? gatheringBytes : 1,
      maxBytes: answerBytes,
      partitions: wants.map(({ topic, partition, offset }) => ({
        ...{ topic, partition, offset, maxBytes: partitionBytes },
      })),
    })
    wellMs = clock.now()
    let isStale = false
    for (const one of fetched) {
      const want = wants.find(({ topic, partition }) => topic === one.topic && partition === one.partition)
      if (want === undefined || !waiting.has(want)) continue
      if (staleLeader.has(one.errorCode)) isStale = true
      else if (one.errorCode === topicAuthorizationFailed) {
        throw new SourceError('stop', `The broker does not let this user read the topic ${one.topic}.`)
      } else if (one.errorCode !== 0 && one.errorCode !== offsetOutOfRange) {
        throw new SourceError('retry', `The broker answers with the error code ${one.errorCode}.`)
      } else {
        if (one.errorCode === 0) parts.onAnswer(one)
        const isOver = want.untilMs !== null && clock.now() >= want.untilMs
        if (one.batches.length === 0 && one.errorCode === 0 && !isOver) continue
        waiting.delete(want)
        want.resolve(one)
      }
    }
    return isStale
  }

  return {
    next(want, laneSignal) {
      return new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure)
        const end = (): void => {
          waiting.delete(entry)
          reject(laneSignal.reason)
        }
        const settle = (): void => laneSignal.removeEventListener('abort', end)
        const entry: Waiting = {
          ...want,
          resolve(fetched) {
            settle()
            resolve(fetched)
          },
          reject(error) {
            settle()
            reject(error)
          },
        }
        if (laneSignal.aborted) return reject(laneSignal.reason)
        laneSignal.addEventListener('abort', end, { once: true })
        waiting.add(entry)
        start()
      })
    },
    isBusy,
    waiting: () => [...new Set(troubles.values())].join(' '),
  }
}
