import type { CommittedOffset, CommittedOffsets, OffsetKey } from './committed-offsets.ts'
import { errorCodes } from './error-codes.ts'
import type { Journal } from './journal.ts'
import { encodeEndMarker } from './record-batch.ts'
import type { Topics } from './topics.ts'

/**
 * The coordinator of transactions. The end of a transaction is first written to the journal, then its markers go
 * into the partitions, so that a broker killed in between finishes the transaction when it is opened again.
 */
export interface Transactions {
  /** A known id gets a new epoch, which fences off its previous producer. */
  start(id: string | null, timeoutMs: number): { error: number; producerId: number; epoch: number }
  add(caller: Caller, partitions: readonly TopicPartition[]): number
  addOffsets(caller: Caller, offsets: readonly [OffsetKey, CommittedOffset][]): number
  end(caller: Caller, isCommit: boolean): number
  /** Whether a producer may append to a partition within its transaction. */
  mayAppend(id: string | null, producerId: number, place: TopicPartition): boolean
  close(): void
}

export interface Caller {
  id: string
  producerId: number
  epoch: number
}

export interface TopicPartition {
  topic: string
  partition: number
}

interface Transaction {
  producerId: number
  epoch: number
  timeoutMs: number
  state: 'idle' | 'open' | 'committing' | 'aborting' | 'committed' | 'aborted'
  partitions: TopicPartition[]
  offsets: [OffsetKey, CommittedOffset][]
}

export function openTransactions(
  journal: Journal,
  topics: Topics,
  offsets: CommittedOffsets,
  changed: () => void,
): Transactions {
  const timers = new Map<string, NodeJS.Timeout>()
  const get = (id: string): Transaction | undefined => journal.get(`transaction ${id}`)
  const save = (id: string, transaction: Transaction): void => journal.set(`transaction ${id}`, transaction)
  const nextProducerId = (): number => {
    const id = (journal.get<number>('last-producer') ?? 999) + 1
    journal.set('last-producer', id)
    return id
  }

  const finish = (id: string, transaction: Transaction, isCommit: boolean): void => {
    clearTimeout(timers.get(id))
    timers.delete(id)
    const { producerId, epoch } = transaction
    for (const { topic, partition } of transaction.partitions) {
      const found = topics.get(topic)?.partitions[partition]
      if (found === undefined || !found.log.producers.isOpen(producerId)) continue
      found.log.append(encodeEndMarker({ id: producerId, epoch }, isCommit), found.leaderEpoch)
    }
    if (isCommit) for (const [key, offset] of transaction.offsets) offsets.set(key, offset)
    save(id, { ...transaction, state: isCommit ? 'committed' : 'aborted', partitions: [], offsets: [] })
    changed()
  }
  const end = (id: string, transaction: Transaction, isCommit: boolean): void => {
    save(id, { ...transaction, state: isCommit ? 'committing' : 'aborting' })
    finish(id, transaction, isCommit)
  }
  const watch = (id: string, transaction: Transaction): void => {
    if (timers.has(id)) return
    // A producer that is gone must not block readers of committed records for ever.
    const expire = (): void => {
      const current = get(id)
      if (current?.state === 'open') end(id, { ...current, epoch: current.epoch + 1 }, false)
    }
    timers.set(id, setTimeout(expire, transaction.timeoutMs).unref())
  }
  const check = ({ id, producerId, epoch }: Caller): { error: number; transaction?: Transaction } => {
    const transaction = get(id)
    if (transaction === undefined || transaction.producerId !== producerId) {
      return { error: errorCodes.invalidTransactionState }
    }
    if (epoch !== transaction.epoch) return { error: errorCodes.producerFenced }
    return { error: 0, transaction }
  }
  const extend = (caller: Caller, change: (transaction: Transaction) => Transaction): number => {
    const { error, transaction } = check(caller)
    if (transaction === undefined) return error
    const changed = change({ ...transaction, state: 'open' })
    save(caller.id, changed)
    watch(caller.id, changed)
    return 0
  }

  for (const [key, transaction] of journal.entries<Transaction>('transaction ')) {
    const id = key.slice('transaction '.length)
    if (transaction.state === 'committing') finish(id, transaction, true)
    if (transaction.state === 'aborting') finish(id, transaction, false)
    if (transaction.state === 'open') watch(id, transaction)
  }

  return {
    start(id, timeoutMs) {
      if (id === null) return { error: 0, producerId: nextProducerId(), epoch: 0 }
      const known = get(id)
      const producerId = known?.producerId ?? nextProducerId()
      const epoch = (known?.epoch ?? -1) + 1
      if (known?.state === 'open') end(id, { ...known, epoch }, false)
      save(id, { producerId, epoch, timeoutMs, state: 'idle', partitions: [], offsets: [] })
      return { error: 0, producerId, epoch }
    },
    add: (caller, partitions) =>
      extend(caller, (transaction) => ({
        ...transaction,
        partitions: [...transaction.partitions, ...partitions.filter((one) => !has(transaction, one))],
      })),
    addOffsets: (caller, added) =>
      extend(caller, (transaction) => ({ ...transaction, offsets: [...transaction.offsets, ...added] })),
    end(caller, isCommit) {
      const { error, transaction } = check(caller)
      if (transaction === undefined) return error
      // A repeated request: the answer to the first one was lost.
      if (transaction.state === (isCommit ? 'committed' : 'aborted')) return 0
      if (transaction.state !== 'open') return errorCodes.invalidTransactionState
      end(caller.id, transaction, isCommit)
      return 0
    },
    mayAppend(id, producerId, place) {
      const transaction = id === null ? undefined : get(id)
      return transaction?.state === 'open' && transaction.producerId === producerId && has(transaction, place)
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

const has = ({ partitions }: Transaction, { topic, partition }: TopicPartition): boolean =>
  partitions.some((one) => one.topic === topic && one.partition === partition)
