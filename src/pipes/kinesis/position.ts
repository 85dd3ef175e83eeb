/**
 * A lane's position: what of a shard was committed. Sequence numbers rise within a shard; those of a stream that was
 * deleted and created again begin anew, so a position has the time when its stream was created.
 */
export interface Position {
  /** The last record of which something was committed; `end` = the shard was read to its end. */
  sequenceNumber: string | 'end'
  /** So many messages of that record were committed; null = all of them. */
  messages: number | null
  createdMs: number
}

export const formatPosition = ({ sequenceNumber, messages, createdMs }: Position): string =>
  `${sequenceNumber}${messages === null ? '' : `#${messages}`}@${createdMs}`

export function parsePosition(text: string): Position {
  const [, sequenceNumber = '', messages, createdMs] = /^(\w+)(?:#(\d+))?@(\d+)$/.exec(text) ?? []
  return {
    ...{ sequenceNumber, createdMs: Number(createdMs) },
    messages: messages === undefined ? null : Number(messages),
  }
}

/** Sequence numbers are decimal numbers of any length. */
export const compareSequence = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : Number(one > other))
