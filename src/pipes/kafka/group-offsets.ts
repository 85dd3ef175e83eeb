import type { Log } from '../../lib/running.ts'
import type { Cluster } from './cluster.ts'
import type { Place } from './virtual-fields.ts'

/**
 * Tells the consumer group how far the pipe is, for people's tools: the pipe itself continues by its journal.
 * Written at most once per pause, so it may lag behind for that long.
 */
export interface GroupOffsets {
  note(place: Place, offset: number): void
  /** Writes what was noted last. */
  close(): Promise<void>
}

const pauseMs = 1_000

export function createGroupOffsets(cluster: Cluster, log: Log): GroupOffsets {
  const noted = new Map<string, Place & { offset: number }>()
  let timer: NodeJS.Timeout | undefined
  let hasFailed = false

  async function write(): Promise<void> {
    const offsets = [...noted.values()]
    noted.clear()
    if (offsets.length === 0) return
    try {
      await cluster.commit(offsets)
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, 'the offsets of the consumer group cannot be written')
      hasFailed = true
    }
  }

  return {
    note({ topic, partition }, offset) {
      noted.set(`${topic}/${partition}`, { topic, partition, offset })
      timer ??= setTimeout(() => {
        timer = undefined
        void write()
      }, pauseMs)
    },
    async close() {
      clearTimeout(timer)
      await write()
    },
  }
}
