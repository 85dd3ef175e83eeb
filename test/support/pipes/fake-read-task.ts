import { encodeBlock } from '../../../src/pipes/formats/avro/encode.ts'
import type { Batch, Lane, ReadTask, SourcePipe, SourceProgress, Spool } from '../../../src/pipes/source.ts'
import { rawWithin } from '../../../src/pipes/spool-format.ts'
import { createRecordingLog, type RecordingLog } from '../recording-log.ts'

/** The runtime's side of the port, in memory: what a source commits is kept, and lanes remember their positions. */
export interface FakeRuntime {
  task(options?: { pipe?: SourcePipe; worker?: ReadTask['worker'] }): FakeTask
  batches: FakeBatch[]
  /** Every spool that was begun. */
  spools: FakeSpool[]
  /** All records of all batches, in the order of their commits. */
  rows(): FakeRecord[]
  rejected(): FakeReject[]
  positions: Map<string, string>
  log: RecordingLog
  progress(): SourceProgress | undefined
  /** Rejects the next commits with these errors, one each. */
  failCommits: Error[]
  /** Each commit waits for it. */
  gate: Promise<void>
  /** Lanes that another worker has. */
  taken: Set<string>
  /** Resolves when the condition holds after a commit, a report or a lease. */
  until(condition: () => boolean): Promise<void>
  /** A reading failed: what waits rejects, until another one begins. */
  fail(error: Error): void
}

export interface FakeTask extends ReadTask {
  stop(): void
}

export interface FakeRecord {
  source: string
  position: string
  bytes: Buffer
  raw?: Buffer
}
export interface FakeReject {
  source: string
  position: string
  raw: Buffer
  code: string
  reason: string
}
export interface FakeBatch extends Omit<Batch, 'content'> {
  lane: string
  content: FakeSpool
}
export interface FakeSpool extends Spool {
  formatName: string
  settings: Record<string, string>
  head: Buffer
  appended: FakeRecord[]
  rejected: FakeReject[]
  file(): Buffer
}

export function createFakeRuntime(pipe: SourcePipe): FakeRuntime {
  const waiting = new Set<() => void>()
  const changed = (): void => {
    for (const check of waiting) check()
  }
  const leased = new Set<string>()
  let progress: SourceProgress | undefined
  let failure: Error | undefined
  const runtime: FakeRuntime = {
    task({ pipe: given = pipe, worker = { index: 0, count: 1 } } = {}) {
      const stopping = new AbortController()
      failure = undefined
      return {
        ...{ pipe: given, worker, log: runtime.log, signal: stopping.signal },
        stop: () => stopping.abort(),
        lanes: async () => [...runtime.positions].map(([name, position]) => ({ name, position })),
        async lease(name) {
          if (leased.has(name) || runtime.taken.has(name)) return null
          leased.add(name)
          setImmediate(changed)
          return createLane(name)
        },
        report(reported) {
          progress = reported
          changed()
        },
      }
    },
    batches: [],
    spools: [],
    rows: () => runtime.batches.flatMap(({ content }) => content.appended),
    rejected: () => runtime.batches.flatMap(({ content }) => content.rejected),
    positions: new Map(),
    log: createRecordingLog(),
    progress: () => progress,
    failCommits: [],
    gate: Promise.resolve(),
    taken: new Set(),
    until: (condition) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!condition() && failure === undefined) return
          waiting.delete(check)
          if (condition()) resolve()
          else reject(failure)
        }
        waiting.add(check)
        check()
      }),
    fail(error) {
      failure = error
      changed()
    },
  }

  function createLane(name: string): Lane {
    return {
      ...{ name, round: 0 },
      get position() {
        return runtime.positions.get(name) ?? null
      },
      async spool() {
        const spool = createFakeSpool()
        runtime.spools.push(spool)
        return spool
      },
      changes() {
        throw new Error('no database is read here')
      },
      async commit({ content, ...batch }) {
        await runtime.gate
        const failure = runtime.failCommits.shift()
        if (failure !== undefined) throw failure
        runtime.batches.push({ ...batch, lane: name, content: content as FakeSpool })
        runtime.positions.set(name, batch.last)
        changed()
      },
      async move(to) {
        runtime.positions.set(name, to)
      },
      async release() {
        leased.delete(name)
        changed()
      },
    }
  }
  return runtime
}

export function createFakeSpool(): FakeSpool {
  let bytes = 0
  const spool: FakeSpool = {
    ...{ formatName: '', settings: {}, head: Buffer.alloc(0), appended: [], rejected: [] },
    get records() {
      return spool.appended.length
    },
    get bytes() {
      return bytes
    },
    format(name, settings = {}, head = Buffer.alloc(0)) {
      spool.formatName = name
      spool.settings = settings
      spool.head = Buffer.from(head)
    },
    append({ bytes: given, raw, ...record }) {
      bytes += given.length
      const whole = raw && ('head' in raw ? rawWithin(raw, given) : Buffer.from(raw))
      spool.appended.push({ ...record, ...(whole && { raw: whole }), bytes: Buffer.from(given) })
    },
    reject({ raw, ...record }) {
      spool.rejected.push({ ...record, raw: Buffer.from(raw) })
    },
    discard: async () => {},
    file() {
      const parts = spool.appended.map((record) => record.bytes)
      return Buffer.concat(spool.head.length > 0 ? [spool.head, encodeBlock(parts)] : parts)
    },
  }
  return spool
}
