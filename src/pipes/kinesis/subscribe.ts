import type { Clock } from '../../lib/clock.ts'
import { SourceError } from '../source.ts'
import { createRecovery, type FeedParts, pollShard } from './poll.ts'
import type { Fetched, Stream } from './stream.ts'

/** The consumer's name at the stream: it belongs to the pipe. */
export const consumerNameOf = (pipeId: string): string => `granary-${pipeId}`

/** Subscribes to a shard again and again, until its end or until the signal aborts. */
export async function* subscribeToShard(parts: FeedParts, consumerArn: string): AsyncGenerator<Fetched> {
  const { stream, shardId, pauses, clock, lane, signal } = parts
  const recover = createRecovery(parts)
  while (!signal.aborted) {
    const begunMs = clock.now()
    try {
      for await (const fetched of stream.subscribe(consumerArn, shardId, parts.from())) {
        recover.worked()
        lane.read(fetched.behindMs)
        yield fetched
        if (fetched.isEnd) return
        // Not every server tells a subscriber that the shard has ended.
        if (fetched.records.length === 0 && parts.isClosed()) return yield* pollShard(parts)
      }
    } catch (error) {
      await recover.from(error)
    }
    // AWS lets a consumer subscribe to a shard once in five seconds.
    await clock.sleep(Math.max(0, begunMs + pauses.subscribeMs - clock.now()), signal)
  }
}

const activePauseMs = 1_000
const activeTries = 60

/** Registers the pipe's consumer, and waits until it can be used. */
export async function openConsumer(
  { stream, clock, signal }: { stream: Stream; clock: Clock; signal: AbortSignal },
  streamArn: string,
  name: string,
): Promise<string> {
  for (let tries = 0; tries < activeTries; tries++) {
    const arn = await stream.consumer(streamArn, name)
    if (arn !== null) return arn
    await clock.sleep(activePauseMs, signal)
    signal.throwIfAborted()
  }
  throw new SourceError('retry', `The consumer ${name} of the stream ${stream.name} does not become active.`)
}
