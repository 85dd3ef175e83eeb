import { setTimeout } from 'node:timers/promises'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { type Lane, type ReadTask, SourceError, type SourceKind } from '../source.ts'
import { partsOf } from './catalog.ts'
import { checkPostgresSource } from './check.ts'
import { connect, postgresOf, quoted } from './connection.ts'
import { toSourceError } from './errors.ts'
import { followChanges } from './follow.ts'
import { createFollowedTable, type FollowedTable } from './followed-table.ts'
import { newcomerReason } from './newcomers.ts'
import { readPosition, writePosition } from './position.ts'
import { createProgress } from './progress.ts'
import {
  createSlot,
  dropSlot,
  ownName,
  preparePublication,
  readServer,
  readSlot,
  type ServerState,
  slotOf,
} from './server.ts'
import { changesLane, readState } from './table-state.ts'
import { createTables, type Tables } from './tables.ts'

const leaseAgainMs = 200

/** Tables of a Postgres database: a first load, then the changes of a replication slot. */
export function createPostgresSource({
  folder,
  clock = systemClock,
  enoughBytes = 32 * 1024 * 1024,
}: {
  /** For transactions that have not committed yet. */
  folder: string
  clock?: Clock
  /** A batch of a load with so many bytes ends with its piece. */
  enoughBytes?: number
}): SourceKind {
  return {
    check: (pipe, { signal }) => checkPostgresSource(pipe, signal),
    async read(task) {
      try {
        return await read(task, { folder, clock, enoughBytes })
      } catch (error) {
        if (task.signal.aborted) return 'stopped'
        throw toSourceError(error)
      }
    },
    async remove(pipe, signal) {
      const { settings } = postgresOf(pipe)
      if (signal.aborted || settings.replicationMode === 'snapshot') return
      const client = await connect(pipe)
      try {
        // What a person made stays.
        if (settings.replicationSlotName === '') await dropSlot(client, ownName(pipe))
        if (settings.publicationName === '')
          await client.query(`DROP PUBLICATION IF EXISTS ${quoted(ownName(pipe))}`)
      } catch (error) {
        throw toSourceError(error)
      } finally {
        await client.end().catch(() => undefined)
      }
    },
  }
}

async function read(
  task: ReadTask,
  { folder, clock, enoughBytes }: { folder: string; clock: Clock; enoughBytes: number },
): Promise<'completed' | 'stopped'> {
  const { pipe, signal } = task
  const { settings } = postgresOf(pipe)
  const isSnapshot = settings.replicationMode === 'snapshot'
  if (isSnapshot && (await isComplete(task))) return 'completed'
  const catalog = await connect(pipe)
  const lanes = new Map<string, Lane>()
  const lease = async (name: string): Promise<Lane> => {
    const lane = await leaseLane(task, name)
    lanes.set(name, lane)
    return lane
  }
  try {
    const server = await readServer(catalog, pipe)
    const progress = createProgress(task, { clock, slotName: slotOf(pipe), catalog })
    progress.report()
    const tables = createTables({ task, catalog, version: server.version, progress, enoughBytes, lease })
    await tables.open()
    const lane = isSnapshot ? null : await lease(changesLane)
    if (lane) {
      await preparePublication(catalog, pipe)
      await prepareSlot(task, lane, catalog, server)
    }
    for (;;) {
      signal.throwIfAborted()
      if (lane !== null && settings.replicationMode === 'cdc_only')
        await tables.createEmpty(readPosition(lane.position ?? '').lsn)
      else await tables.load()
      if (lane === null) return 'completed'
      const followed = await followedTables(catalog, tables)
      if (followed === null) continue
      const outcome = await followChanges({
        ...{
          pipe,
          lane,
          tables: followed,
          catalog,
          folder,
          progress,
          clock,
          signal,
          version: server.version,
        },
        saveTable: ({ target, state }) => tables.save(target, state),
      })
      if (outcome === 'stopped') return 'stopped'
    }
  } finally {
    await catalog.end().catch(() => undefined)
  }
}

/** Without a look at the source, which may be gone by now. */
async function isComplete({ pipe, lanes }: ReadTask): Promise<boolean> {
  const known = new Map((await lanes()).map(({ name, position }) => [name, position]))
  return postgresOf(pipe).tableMappings.every(({ targetTable }) => {
    const position = known.get(`table:${targetTable}`)
    return position !== undefined && readState(position).state === 'loaded'
  })
}

async function leaseLane({ lease, signal }: ReadTask, name: string): Promise<Lane> {
  for (;;) {
    signal.throwIfAborted()
    const lane = await lease(name)
    if (lane) return lane
    await setTimeout(leaseAgainMs, undefined, { signal })
  }
}

/** A new pipe and a resync make a slot; later the pipe goes on with that one or not at all. */
async function prepareSlot(
  { pipe }: ReadTask,
  lane: Lane,
  catalog: ReadTaskClient,
  server: ServerState,
): Promise<void> {
  const { settings } = postgresOf(pipe)
  const name = slotOf(pipe)
  if (lane.position === null) {
    const given = settings.replicationSlotName === '' ? null : await readSlot(catalog, name)
    if (settings.replicationSlotName !== '' && given === null)
      throw new SourceError('stop', `The replication slot ${name} does not exist.`)
    const lsn = given?.confirmed ?? (await createSlot(catalog, pipe, server.version))
    const { system, timeline } = server
    const last = writePosition({ lsn: String(lsn), transaction: null, system, timeline })
    await lane.commit({ first: '', last, content: { spool: lane.changes(), steps: [] }, sourceBytes: 0 })
    return
  }
  // The slot moved on with the batches that the warehouse no longer has.
  if (lane.round > 0)
    throw new SourceError(
      'stop',
      'The service was put back to an older state: resync the pipe to load its tables again.',
    )
  const position = readPosition(lane.position)
  const slot = await readSlot(catalog, name)
  const why = whyLost(position, slot, server, settings.enableFailoverSlots)
  if (why !== '') throw new SourceError('stop', `${why}: resync the pipe to load its tables again.`)
}

type ReadTaskClient = Awaited<ReturnType<typeof connect>>

/** '' = the stream can go on. */
function whyLost(
  position: ReturnType<typeof readPosition>,
  slot: Awaited<ReturnType<typeof readSlot>>,
  { system, timeline }: ServerState,
  isFailover: boolean,
): string {
  if (position.system !== system) return 'The source is another server than before'
  if (position.timeline !== timeline && !isFailover) return 'The source has changed its timeline'
  if (slot === null) return 'The replication slot is gone'
  if (slot.lost !== '') return `The replication slot is lost, since ${slot.lost}`
  // The pipe tells the server a place only after its journal has it.
  if (slot.confirmed > BigInt(position.lsn))
    return 'The replication slot was moved past changes that the pipe has not read'
  return ''
}

/** null = a table must be loaded first. */
async function followedTables(
  catalog: ReadTaskClient,
  tables: Tables,
): Promise<Map<number, FollowedTable> | null> {
  const followed = new Map<number, FollowedTable>()
  let isComplete = true
  for (const { mapping, state } of tables.loaded()) {
    const table = createFollowedTable(mapping, state)
    followed.set(state.oid, table)
    for (const { oid, kind } of await partsOf(catalog, state.oid)) {
      followed.set(oid, table)
      if (kind !== 'r' || oid === state.oid || state.parts?.includes(oid) !== false) continue
      const reason = await newcomerReason(catalog, oid)
      if (reason === '') continue
      await tables.save(mapping.targetTable, { ...state, state: 'reload', reason })
      isComplete = false
      break
    }
  }
  return isComplete ? followed : null
}
