import {
  type Destination,
  DestinationError,
  type Inserted,
  type JournalledBatch,
} from '../../../src/pipes/destination.ts'

/** A table in memory that drops batches whose token it has seen, and keeps a ledger. */
export interface FakeDestination extends Destination {
  /** The rows as texts, in the order of their arrival. */
  rows: string[]
  rejects: string[]
  /** Tokens in the order of their first arrival; repeated ones are counted only. */
  tokens: string[]
  repeated: number
  ledger: Map<string, { lane: string; token: string; last: string }>
  /** Runs before each call, and may wait or throw. */
  before(call: 'prepare' | 'insert' | 'committed', batch?: JournalledBatch): Promise<void> | void
  /** Runs after a batch is in the table, and may throw: the caller does not learn that it is. */
  after(batch: JournalledBatch): Promise<void> | void
  calls: string[]
  delivery: 'exactly_once' | 'at_least_once'
}

export function createFakeDestination(): FakeDestination {
  const seen = new Map<string, Inserted>()
  const fake: FakeDestination = {
    ...{ rows: [], rejects: [], tokens: [], repeated: 0, ledger: new Map(), calls: [] },
    delivery: 'exactly_once',
    before: () => undefined,
    after: () => undefined,
    async prepare() {
      fake.calls.push('prepare')
      await fake.before('prepare')
      return { delivery: fake.delivery }
    },
    async committed() {
      fake.calls.push('committed')
      await fake.before('committed')
      return [...fake.ledger.values()]
    },
    async insert(batch, signal) {
      fake.calls.push('insert')
      await fake.before('insert', batch)
      if (signal.aborted) throw new DestinationError('retry', 'aborted')
      const { token, lane, last } = batch
      const known = seen.get(token)
      if (known) fake.repeated += 1
      const inserted = known ?? (await take(batch))
      seen.set(token, inserted)
      fake.ledger.set(lane, { lane, token, last })
      await fake.after(batch)
      return inserted
    },
  }

  async function take({ token, content }: JournalledBatch): Promise<Inserted> {
    fake.tokens.push(token)
    if (content.kind === 'changes') return { rows: content.steps.length, rejected: 0, sampleReason: '' }
    if (content.kind === 'objects') return { rows: content.objects.length, rejected: 0, sampleReason: '' }
    const parts: Uint8Array[] = []
    for await (const part of content.open()) parts.push(part)
    const lines = Buffer.concat(parts).toString().split('\n').slice(0, -1)
    fake.rows.push(...lines)
    let sampleReason = ''
    let rejected = 0
    for await (const { raw, reason } of content.rejected()) {
      fake.rejects.push(Buffer.from(raw).toString())
      sampleReason = reason
      rejected += 1
    }
    return { rows: lines.length, rejected, sampleReason }
  }

  return fake
}
