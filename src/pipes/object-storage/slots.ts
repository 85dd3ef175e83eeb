import type { Clock } from '../../lib/clock.ts'
import type { Batch, Lane, ReadTask } from '../source.ts'

/**
 * Lanes that take turns in committing the batches of one list, so that several batches are on their way at a time.
 * One worker has all of them: who holds the first lane reads the list, and other workers stand by.
 */
export interface Slots {
  /** The positions of the lanes that were committed to. */
  readonly positions: string[]
  /** Aborts when the pipe stops, and when a batch has failed. */
  readonly signal: AbortSignal
  /** Resolves when a lane has begun with the batch; rejects once the signal has aborted. `batchFor` may use the position that the lane has. */
  send(batchFor: (position: string | null) => Batch, then: () => void | Promise<void>): Promise<void>
  /** Waits for the batches that are on their way; rejects if one failed. */
  drain(): Promise<void>
  release(): Promise<void>
}

export interface SlotParts {
  task: Pick<ReadTask, 'lanes' | 'lease' | 'signal'>
  clock: Clock
  /** The lanes are `<name>/0`, `<name>/1` and so on. */
  name: string
  count: number
  /** Called while another worker has a lane. */
  onWait(): void
}

/** Null = the pipe stopped before this worker got the lanes. */
export async function takeSlots({ task, clock, name, count, onWait }: SlotParts): Promise<Slots | null> {
  const lanes = await leaseAll()
  if (lanes === null) return null
  const positions = lanes.map(({ position }) => position).filter((position) => position !== null)
  const failure = new AbortController()
  const signal = AbortSignal.any([task.signal, failure.signal])
  const used = lanes.slice(0, count)
  const free = [...used]
  const running = new Set<Promise<void>>()
  // Lanes of a time when there were more have been taken for their positions only.
  for (const lane of lanes.slice(count)) await lane.release()

  /** Carries out what begun batches left behind, and takes over all lanes. */
  async function leaseAll(): Promise<Lane[] | null> {
    const known = (await task.lanes()).map((lane) => lane.name).filter((each) => each.startsWith(`${name}/`))
    const wanted = new Set([...Array.from({ length: count }, (_, index) => `${name}/${index}`), ...known])
    const taken: Lane[] = []
    for (const each of wanted) {
      let lane = await task.lease(each)
      while (lane === null && !task.signal.aborted) {
        onWait()
        await clock.sleep(standbyMs, task.signal)
        lane = await task.lease(each)
      }
      if (lane === null) {
        for (const one of taken) await one.release()
        return null
      }
      taken.push(lane)
    }
    return taken
  }

  async function carry(lane: Lane, batch: Batch, then: () => void | Promise<void>): Promise<void> {
    try {
      await lane.commit(batch)
      await then()
      free.push(lane)
    } catch (error) {
      if (!failure.signal.aborted) failure.abort(error)
    }
  }

  return {
    positions,
    signal,
    async send(batchFor, then) {
      while (free.length === 0 && !signal.aborted) await Promise.race(running)
      signal.throwIfAborted()
      const lane = free.shift() as Lane
      const work = carry(lane, batchFor(lane.position), then).finally(() => running.delete(work))
      running.add(work)
    },
    async drain() {
      await Promise.all(running)
      failure.signal.throwIfAborted()
    },
    async release() {
      await Promise.all(running)
      for (const lane of used) await lane.release()
    },
  }
}

const standbyMs = 5_000
