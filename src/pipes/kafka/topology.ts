import type { Clock } from '../../lib/clock.ts'
import { SourceError } from '../source.ts'
import { readFault } from './client-errors.ts'
import type { Cluster, TopicDescription } from './cluster.ts'

/** What is known of the topics: their partitions and who leads them. */
export interface Topology {
  topics(): readonly TopicDescription[]
  /** The node that leads a partition; -1 = none is known. */
  leaderOf(topic: string, partition: number): number
  /** Asks the cluster anew; callers at the same time share one answer. */
  refresh(): Promise<void>
}

/** A broker may not know a topic yet whose partitions move; a topic that stays unknown is gone. */
const unknownTimes = 3
const unknownPauseMs = 500

export async function loadTopology(
  cluster: Cluster,
  names: readonly string[],
  clock: Clock,
): Promise<Topology> {
  let described = await cluster.describe(names)
  let running: Promise<void> | undefined

  async function ask(): Promise<void> {
    for (let times = 1; ; times++) {
      try {
        described = await cluster.describe(names)
        return
      } catch (error) {
        const fault = readFault(error)
        if (fault.kind !== 'topic') throw error
        if (times === unknownTimes) throw new SourceError('stop', fault.message, { cause: error })
        await clock.sleep(unknownPauseMs)
      }
    }
  }

  return {
    topics: () => described,
    leaderOf: (topic, partition) => described.find((one) => one.topic === topic)?.leaders[partition] ?? -1,
    refresh() {
      running ??= ask().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
