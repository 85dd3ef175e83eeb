import type { KinesisSource } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Lane, ReadTask } from '../source.ts'
import type { From, StreamDescription } from './stream.ts'

/** The lane whose position is the time from which a pipe reads that begins with the newest records. */
export const startLane = 'start'

/**
 * Where shards begin that have no position. "The newest" is a moment: it is journalled before anything is read, so
 * that every worker, shard and restart agrees on it. Null = the signal aborted.
 */
export async function findStart(
  { iteratorType, timestamp }: KinesisSource,
  { serverMs }: StreamDescription,
  { task, clock, pauseMs }: { task: ReadTask; clock: Clock; pauseMs: number },
): Promise<From | null> {
  if (iteratorType === 'TRIM_HORIZON') return { kind: 'beginning' }
  if (iteratorType === 'AT_TIMESTAMP') return { kind: 'time', ms: timestamp * 1000 }
  while (!task.signal.aborted) {
    const known = (await task.lanes()).find(({ name }) => name === startLane)
    if (known !== undefined) return { kind: 'time', ms: Number(known.position) }
    const lane = await task.lease(startLane)
    if (lane !== null) {
      try {
        const position = lane.position ?? String(serverMs ?? clock.now())
        if (lane.position === null) await commitNothing(lane, position)
        return { kind: 'time', ms: Number(position) }
      } finally {
        await lane.release().catch(() => {})
      }
    }
    await clock.sleep(pauseMs, task.signal)
  }
  return null
}

async function commitNothing(lane: Lane, position: string): Promise<void> {
  const content = await lane.spool()
  content.format('JSONEachRow')
  await lane.commit({ first: position, last: position, content, sourceBytes: 0 })
}
