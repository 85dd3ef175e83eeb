import { errorCodes } from './error-codes.ts'
import type { Exchange } from './exchange.ts'
import type { Partition, Topic } from './topics.ts'

/** The partition if the node that was asked leads it; otherwise the error to answer. */
export function partitionOf(
  { node, injected }: Exchange,
  topic: Topic | undefined,
  index: number,
): { error: number; partition?: Partition } {
  if (injected !== 0) return { error: injected }
  const partition = topic?.partitions[index]
  if (partition === undefined) return { error: errorCodes.unknownTopicOrPartition }
  if (partition.leader !== node) return { error: errorCodes.notLeader }
  return { error: 0, partition }
}
