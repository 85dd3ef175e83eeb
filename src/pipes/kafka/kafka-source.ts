import type { KafkaSource } from '../../domain/pipe/types.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { EgressPolicy } from '../../lib/egress/guard.ts'
import { SourceError, type SourceKind, type SourcePipe } from '../source.ts'
import { checkKafkaSource } from './check.ts'
import { toSourceError } from './client-errors.ts'
import { type Cluster, connectCluster } from './cluster.ts'
import { resolveConnection } from './connection-options.ts'
import { createFormats } from './formats.ts'
import { defaultPauses, type Pauses, readTopics } from './read.ts'

/** Topics of a Kafka cluster: each partition is a lane, named `topic/partition`. */
export function createKafkaSource({
  egress,
  clock = systemClock,
  pauses = defaultPauses,
}: {
  egress: EgressPolicy
  clock?: Clock
  pauses?: Pauses
}): SourceKind {
  const parts = { clock, egress }
  return {
    check: (pipe, wanted) => checkKafkaSource(pipe, wanted, parts),
    async read(task) {
      const kafka = kafkaOf(task.pipe)
      const { formatOf } = createFormats(task.pipe, kafka, clock)
      let cluster: Cluster | undefined
      try {
        cluster = connectCluster(
          await resolveConnection(kafka, task.pipe.secrets, parts),
          consumerGroupOf(task.pipe),
        )
        await readTopics({ task, cluster, clock, formatOf, pauses })
        return 'stopped'
      } catch (error) {
        if (task.signal.aborted) return 'stopped'
        throw toSourceError(error)
      } finally {
        await cluster?.close()
      }
    },
    async remove(pipe, signal) {
      const kafka = kafkaOf(pipe)
      // A group that a person has named may have other members.
      if (kafka.consumerGroup !== '' || signal.aborted) return
      const cluster = connectCluster(
        await resolveConnection(kafka, pipe.secrets, parts),
        consumerGroupOf(pipe),
      )
      try {
        await cluster.removeGroup()
      } catch (error) {
        throw toSourceError(error)
      } finally {
        await cluster.close()
      }
    },
  }
}

/** Without white space, which clients do not take. */
export const consumerGroupOf = (pipe: SourcePipe): string =>
  kafkaOf(pipe).consumerGroup.replace(/\s+/g, '-') || `granary-${pipe.id}`

function kafkaOf({ source }: SourcePipe): KafkaSource {
  if (source.kafka === undefined) throw new SourceError('stop', 'The pipe has no Kafka source.')
  return source.kafka
}
