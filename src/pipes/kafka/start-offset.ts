import { parseTimestamp } from '../../domain/pipe/timestamp.ts'
import type { KafkaSource } from '../../domain/pipe/types.ts'
import type { Log } from '../../lib/running.ts'
import type { Cluster } from './cluster.ts'

const minuteMs = 60_000

/**
 * Where lanes of a topic begin that have no position yet, by partition. The journal knows nothing of a pipe that
 * starts with the newest records until the first of them is committed; the group's offsets remember that place.
 */
export async function findStarts(
  { strategy, timestamp }: KafkaSource['offset'],
  topic: string,
  partitions: number,
  cluster: Cluster,
  log: Log,
): Promise<number[]> {
  if (strategy === 'from_beginning') return await cluster.offsets(topic, 'earliest')
  if (strategy === 'from_timestamp') {
    return await cluster.offsets(topic, Math.floor((parseTimestamp(timestamp) ?? 0) / minuteMs) * minuteMs)
  }
  try {
    const committed = await cluster.committed(topic, partitions)
    const latest = await cluster.offsets(topic, 'latest')
    if (committed.every((offset) => offset === undefined)) {
      await cluster.commit(latest.map((offset, partition) => ({ topic, partition, offset })))
      return latest
    }
    // A partition that the group does not know was added since, so all its records are newer than the pipe.
    const earliest = await cluster.offsets(topic, 'earliest')
    return earliest.map((offset, partition) => committed[partition] ?? offset)
  } catch (error) {
    log.warn({ err: error, topic }, 'the consumer group cannot be used: a restart begins with newer records')
    return await cluster.offsets(topic, 'latest')
  }
}
