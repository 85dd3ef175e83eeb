import type { Journal } from './journal.ts'

export interface CommittedOffset {
  offset: number
  leaderEpoch: number
  metadata: string | null
}

export interface OffsetKey {
  group: string
  topic: string
  partition: number
}

/** The offsets that groups have committed. */
export interface CommittedOffsets {
  get(key: OffsetKey): CommittedOffset | undefined
  set(key: OffsetKey, offset: CommittedOffset): void
  of(group: string): OffsetKey[]
  groups(): string[]
  forget(group: string): void
}

export function createCommittedOffsets(journal: Journal): CommittedOffsets {
  const all = (): OffsetKey[] => journal.entries('offset ').map(([key]) => keyOf(key))
  return {
    get: (key) => journal.get<CommittedOffset>(textOf(key)),
    set: (key, offset) => journal.set(textOf(key), offset),
    of: (group) => all().filter((key) => key.group === group),
    groups: () => [...new Set(all().map(({ group }) => group))],
    forget(group) {
      for (const key of all()) if (key.group === group) journal.delete(textOf(key))
    },
  }
}

const textOf = ({ group, topic, partition }: OffsetKey): string =>
  `offset ${JSON.stringify([group, topic, partition])}`

function keyOf(text: string): OffsetKey {
  const [group, topic, partition] = JSON.parse(text.slice('offset '.length)) as [string, string, number]
  return { group, topic, partition }
}
