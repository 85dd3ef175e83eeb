import type { Clock } from '../../lib/clock.ts'
import { SourceError } from '../source.ts'
import { createRecovery, type FeedParts, pollShard } from './poll.ts'
import type { Fetched, Stream } from './stream.ts'
import { within } from './within.ts'

/** The consumer's name at the stream: it belongs to the pipe. */
export const consumerNameOf = (pipeId: string): string => `granary-${pipeId}`

/** AWS sends events without records too; a subscription that is silent for longer is given up. */
const silenceMs = 60_000

/** Subscribes to a shard again and again, until its end or until the signal aborts. */
export async function* subscribeToShard(parts: FeedParts, consumerArn: string): AsyncGenerator<Fetched> {
  const { stream, shardId, pauses, clock, lane, signal } = parts
  const recover = createRecovery(parts)
  /** Not every server tells a subscriber that the shard has ended, or sends events after that. */
  let isLeft = false
  while (!signal.aborted) {
    const begunMs = clock.now()
    const over = new AbortController()
    const events = stream
      .subscribe(consumerArn, shardId, parts.from(), AbortSignal.any([signal, over.signal]))
      [Symbol.asyncIterator]()
    let next: Promise<IteratorResult<Fetched>> | null = null
    let heardMs = begunMs
    try {
      for (;;) {
        next ??= events.next()
        const got = await within(next, clock.now() + pauses.subscribeMs, clock)
        if (got === null) {
          isLeft = parts.isClosed()
          if (isLeft || clock.now() - heardMs > silenceMs) break
          continue
        }
        next = null
        if (got.done) break
        heardMs = clock.now()
        recover.worked()
        lane.read(got.value.behindMs)
        yield got.value
        if (got.value.isEnd) return
        isLeft = got.value.records.length === 0 && parts.isClosed()
        if (isLeft) break
      }
    } catch (error) {
      await recover.from(error)
    } finally {
      // The server would go on sending for minutes.
      over.abort()
      await next?.catch(() => {})
    }
    if (isLeft) return yield* pollShard(parts)
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
