import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn, syncDirectory } from '../../lib/durable-file.ts'
import type { PendingBatch, PipeLane, Store } from '../../store/store.ts'
import type { Inserted, JournalledBatch } from '../destination.ts'
import { type CommitParams, spoolFolder } from '../worker-protocol.ts'
import { CommitRefused, journalled, PipeFailure, takenOver } from './ends.ts'
import { readSpool } from './spooled.ts'
import { compareLedger, type Move, tokenOf } from './token.ts'

/** A worker process, as lanes know it. */
export interface Holder {
  /** Rises with every process of the pipe. */
  readonly epoch: number
  readonly workDir: string
  isGone: boolean
  /** Its place among the workers of the pipe. */
  readonly index: number
}

/**
 * The lanes of one pipe: which worker has which, and the recipe by which a batch is in the table exactly once,
 * whatever crashes between its steps:
 *
 * 1. The worker has written the spool and synced it; the spool is moved out of the worker's reach.
 * 2. The journal holds the batch, with the token that names it for ever.
 * 3. The destination inserts the spool as one block with that token, again and again until it answers.
 * 4. The journal forgets the batch and holds the lane's new position and the counters.
 * 5. The worker is answered, and may acknowledge its source.
 *
 * A batch in the journal is carried out, byte by byte the same, before its lane is given out again. The engine drops a
 * block whose token it has seen.
 */
export interface LaneBook {
  /** Reads the journal, and removes spools of batches that were never begun. */
  load(): Promise<void>
  known(): { name: string; position: string }[]
  hasPending(): boolean
  /** Which lanes workers have now. */
  held(): { name: string; worker: number }[]
  /** Moves lanes to where the warehouse's ledger tells that they are. */
  follow(
    committed: readonly { lane: string; token: string; last: string }[],
    epoch: number,
  ): Promise<{ moves: Move[]; isLost: boolean }>
  /** Carries out the batches that were begun before. */
  replay(epoch: number, insert: Insert): Promise<void>
  /** Null = another worker has the lane, or a batch of it is still on its way. */
  lease(name: string, holder: Holder): Promise<{ position: string | null; round: number } | null>
  commit(batch: CommitParams, holder: Holder, insert: Insert): Promise<void>
  /** Moves a lane past what holds no rows; its sequence stays that of the last batch, which the ledger knows. */
  move(name: string, position: string, holder: Holder): Promise<void>
  release(name: string, holder: Holder): void
  /** The worker is gone, or its reading has ended. */
  releaseAll(holder: Holder): void
  /** Resolves when no commit is on its way. */
  idle(): Promise<void>
}

export type Insert = (batch: JournalledBatch) => Promise<Inserted>

export interface LaneBookOptions {
  pipeId: string
  resync: number
  store: Pick<Store, 'transaction' | 'pipeJournal'>
  /** The folder of spools whose batches were begun. */
  folder: string
  committed(batch: PendingBatch, inserted: Inserted): void
}

interface LaneState extends PipeLane {
  holder: Holder | null
  pending: PendingBatch | null
  /** Commits that are on their way; they follow each other. */
  commits: number
  tail: Promise<void>
}

export function createLaneBook({ pipeId, resync, store, folder, committed }: LaneBookOptions): LaneBook {
  const lanes = new Map<string, LaneState>()
  const { pipeJournal: journal } = store

  function laneOf(name: string): LaneState {
    const known = lanes.get(name)
    if (known) return known
    const lane = stateOf({ name, epoch: 0, position: null, sequence: 0, round: 0 })
    lanes.set(name, lane)
    return lane
  }

  /** Steps 3 and 4. */
  async function carryOut(lane: LaneState, batch: PendingBatch, insert: Insert): Promise<void> {
    const { token, first, last, spool } = batch
    const path = join(folder, spool)
    const content = await readSpool(path).catch((error: Error) => {
      throw new PipeFailure(`the spool of a batch that was begun cannot be read: ${error.message}`)
    })
    const inserted = await insert({ token, lane: lane.name, first, last, content })
    const isFinished = await journalled(() =>
      store.transaction((tx) => tx.pipeJournal.finish(pipeId, batch, inserted, lane.epoch)),
    )
    if (!isFinished) throw takenOver(lane.name)
    lane.pending = null
    lane.position = last
    lane.sequence = batch.sequence
    committed(batch, inserted)
    await rm(path, { force: true })
  }

  async function begin(lane: LaneState, params: CommitParams, holder: Holder): Promise<PendingBatch> {
    const { first, last, spool, sourceBytes } = params
    const sequence = lane.sequence + 1
    const { name, round } = lane
    const token = tokenOf({ pipeId, resync, round, sequence }, name, first, last)
    const kept = `${holder.epoch}-${spool}`
    const batch = { lane: name, token, first, last, sequence, spool: kept, sourceBytes }
    if (!/^b\d+$/.test(spool)) throw new CommitRefused('the spool has no name of a spool')
    await rename(join(holder.workDir, spoolFolder, spool), join(folder, kept))
    await syncDirectory(folder)
    const isBegun = await journalled(() =>
      store.transaction((tx) => tx.pipeJournal.begin(pipeId, batch, holder.epoch)),
    )
    if (!isBegun) throw takenOver(name)
    lane.pending = batch
    return batch
  }

  async function take(lane: LaneState, epoch: number): Promise<void> {
    if (!(await journalled(() => journal.lease(pipeId, lane.name, epoch)))) throw takenOver(lane.name)
    lane.epoch = epoch
  }

  /** What a worker does to a lane comes after what it did before. */
  async function inTurn(
    name: string,
    holder: Holder,
    act: (lane: LaneState) => Promise<void>,
  ): Promise<void> {
    const lane = laneOf(name)
    if (lane.holder !== holder) throw new CommitRefused(`this worker does not have the lane ${lane.name}`)
    lane.commits += 1
    const run = lane.tail.then(async () => {
      if (lane.pending) throw new CommitRefused('an earlier batch of the lane could not be finished')
      await act(lane)
    })
    lane.tail = run.then(
      () => undefined,
      () => undefined,
    )
    try {
      await run
    } finally {
      lane.commits -= 1
    }
  }

  function release(lane: LaneState, holder: Holder): void {
    if (lane.holder === holder) lane.holder = null
  }

  return {
    async load() {
      lanes.clear()
      for (const lane of await journalled(() => journal.lanes(pipeId))) lanes.set(lane.name, stateOf(lane))
      const pending = await journalled(() => journal.pending(pipeId))
      for (const batch of pending) laneOf(batch.lane).pending = batch
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const kept = new Set(pending.map(({ spool }) => spool))
      for (const name of await namesIn(folder)) if (!kept.has(name)) await rm(join(folder, name))
    },
    known: () =>
      [...lanes.values()].flatMap(({ name, position }) => (position === null ? [] : [{ name, position }])),
    held: () =>
      [...lanes.values()].flatMap(({ name, holder }) => (holder ? [{ name, worker: holder.index }] : [])),
    hasPending: () => [...lanes.values()].some(({ pending }) => pending !== null),
    async follow(told, epoch) {
      const begun = [...lanes.values()].flatMap(({ name, pending }) => (pending ? [name] : []))
      const compared = compareLedger([...lanes.values()], told, { pipeId, resync }, new Set(begun))
      for (const { lane: moved } of compared.moves) {
        const lane = laneOf(moved.name)
        await take(lane, epoch)
        const { position, sequence, round } = moved
        const place = { name: moved.name, epoch, position, sequence, round }
        if (!(await journalled(() => store.transaction((tx) => tx.pipeJournal.place(pipeId, place)))))
          throw takenOver(moved.name)
        Object.assign(lane, { position, sequence, round, pending: null })
      }
      return compared
    },
    async replay(epoch, insert) {
      const begun = [...lanes.values()].filter(({ pending }) => pending !== null)
      await Promise.all(
        begun.map(async (lane) => {
          await take(lane, epoch)
          if (lane.pending) await carryOut(lane, lane.pending, insert)
        }),
      )
    },
    async lease(name, holder) {
      const lane = laneOf(name)
      if (lane.commits > 0 || (lane.holder !== null && lane.holder !== holder)) return null
      lane.holder = holder
      await take(lane, holder.epoch)
      if (holder.isGone) release(lane, holder)
      return lane.holder === holder ? { position: lane.position, round: lane.round } : null
    },
    commit: (params, holder, insert) =>
      inTurn(params.lane, holder, async (lane) => {
        await carryOut(lane, await begin(lane, params, holder), insert)
      }),
    move: (name, position, holder) =>
      inTurn(name, holder, async (lane) => {
        const { epoch, sequence, round } = lane
        const place = { name, epoch, position, sequence, round }
        if (!(await journalled(() => store.transaction((tx) => tx.pipeJournal.place(pipeId, place)))))
          throw takenOver(name)
        lane.position = position
      }),
    release: (name, holder) => release(laneOf(name), holder),
    releaseAll(holder) {
      for (const lane of lanes.values()) release(lane, holder)
    },
    async idle() {
      await Promise.all([...lanes.values()].map(({ tail }) => tail))
    },
  }
}

const stateOf = (lane: PipeLane): LaneState => ({
  ...lane,
  ...{ holder: null, pending: null, commits: 0, tail: Promise.resolve() },
})
