import type { KinesisSource } from '../../domain/pipe/types.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { EgressPolicy } from '../../lib/egress/guard.ts'
import { SourceError, type SourceKind, type SourcePipe } from '../source.ts'
import { checkStream } from './check.ts'
import { connectKinesis } from './client.ts'
import { createFormats } from './formats.ts'
import { defaultPauses, type Pauses, readStream, toSourceError } from './read.ts'
import { openStream, type Stream } from './stream.ts'
import { consumerNameOf } from './subscribe.ts'

/** A Kinesis stream: each shard is a lane, with the shard's name. */
export function createKinesisSource({
  egress,
  registryUrl = '',
  clock = systemClock,
  pauses = defaultPauses,
}: {
  egress: EgressPolicy
  /** The schema registry of AvroConfluent; "" = there is none. */
  registryUrl?: string
  clock?: Clock
  pauses?: Pauses
}): SourceKind {
  async function withStream<T>(
    pipe: SourcePipe,
    signal: AbortSignal,
    use: (stream: Stream, source: KinesisSource) => Promise<T>,
  ): Promise<T> {
    const source = kinesisOf(pipe)
    const clients = connectKinesis(source, pipe.secrets, egress)
    try {
      return await use(openStream(clients, source, signal), source)
    } catch (error) {
      throw error instanceof SourceError || signal.aborted ? error : toSourceError(error, source)
    } finally {
      clients.close()
    }
  }

  return {
    check: (pipe, { sample, signal }) =>
      withStream(pipe, signal, (stream, source) =>
        checkStream(stream, source, sample, createFormats(pipe, source, registryUrl, clock)),
      ),
    async read(task) {
      const { pipe, signal } = task
      try {
        await withStream(pipe, signal, (stream, source) => {
          const { formatOf } = createFormats(pipe, source, registryUrl, clock)
          return readStream({ task, source, stream, clock, pauses, formatOf })
        })
      } catch (error) {
        if (!signal.aborted) throw error
      }
      return 'stopped'
    },
    remove: (pipe, signal) =>
      withStream(pipe, signal, async (stream, { useEnhancedFanOut }) => {
        if (!useEnhancedFanOut) return
        const { arn } = await stream.describe()
        await stream.removeConsumer(arn, consumerNameOf(pipe.id))
      }),
  }
}

function kinesisOf({ source }: SourcePipe): KinesisSource {
  if (source.kinesis === undefined) throw new SourceError('stop', 'The pipe has no Kinesis source.')
  return source.kinesis
}
