import { formatBytes, formatExact } from '../../lib/numbers.ts'
import { raised } from '../../lib/words.ts'

/** What sources tell of themselves, in words; null = the page shows it elsewhere. */
const names: Record<string, string | null> = {
  lanes: null,
  lastObject: 'Last object',
  objectsRead: 'Objects read',
  lateObjects: 'Objects that came late',
  ignoredMessages: 'Messages ignored',
  duplicateMessages: 'Messages that came twice',
  tombstones: 'Records without a value',
  expiredRecords: 'Records that expired unread',
  recreatedTopics: 'Topics made anew',
  truncatedLogs: 'Partitions cut short',
  refetchedBatches: 'Batches fetched again',
  throttledReads: 'Reads that Kinesis slowed down',
  expiredIterators: 'Iterators that expired',
  lostPositions: 'Positions that Kinesis lost',
  aggregatedRecords: 'Records unpacked from aggregates',
  waitingShards: 'Shards that wait for their parents',
  tablesLoaded: 'Tables loaded',
  slotLagBytes: 'WAL not read yet',
  walKeptBytes: 'WAL kept at the source',
  walStatus: 'WAL of the slot is',
  openTransactionBytes: 'Open transactions',
}

/** A fact that has no words yet is named by those that its own name is made of. */
export function sourceFacts(facts: Record<string, number | string>): (readonly [string, string])[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const words = name in names ? names[name] : raised(name.includes(' ') ? name : spaced(name))
    return words ? [[words, textOf(name, value)] as const] : []
  })
}

const spaced = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function textOf(name: string, value: number | string): string {
  if (typeof value === 'string') return value
  return name.endsWith('Bytes') ? formatBytes(value) : formatExact(value)
}
