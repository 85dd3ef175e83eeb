import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import type { Claim } from '../../src/lib/work-queue.ts'
import { createSecretBox } from '../../src/store/secret-box.ts'
import { openSqlStore, type SqlStoreOptions } from '../../src/store/sql/open.ts'
import type { Store } from '../../src/store/store.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import { patienceMs } from './patience.ts'
import { sharedPostgres } from './postgres.ts'
import { createRecordingLog } from './recording-log.ts'
import type { Ends } from './server.ts'
import { startMs } from './store-records.ts'

/** A store to test, alone on its data. */
export interface StoreRig {
  store: Store
  /** Another control plane on the same data; on SQLite, which allows only one, the same store. */
  peer: Store
  /** The clock of the loops. Only SQLite measures leases by it; PostgreSQL uses the database's time. */
  clock: Clock
  /** Opens the same data once more; closed at the end of the test. */
  open(options?: Partial<SqlStoreOptions>): Promise<Store>
  /** The URL of a database in which no store was ever opened. */
  emptyUrl(): Promise<string>
  /** Runs a statement on the database directly. */
  execute(statement: string): Promise<Record<string, unknown>[]>
  /** Repeats until the condition holds while time passes; fails when it never does. */
  until(what: string, condition: () => Promise<boolean> | boolean): Promise<void>
}

export interface SqliteRig extends StoreRig {
  clock: ManualClock
  path: string
}

export type CreateRig = (t: TestContext) => Promise<StoreRig>

export const secretKey = new Uint8Array(32).fill(7)
const endpointPorts = { from: 20_000, to: 20_299 }

export async function createSqliteRig(t: TestContext): Promise<SqliteRig> {
  const path = join(temporaryFolder(t), 'granary.db')
  const clock = createManualClock(startMs)
  const open = opener(t, { ...common(), url: `sqlite:${path}`, clock })
  const store = await open()
  return {
    store,
    peer: store,
    clock,
    path,
    open,
    emptyUrl: async () => `sqlite:${join(temporaryFolder(t), 'new', 'granary.db')}`,
    async execute(statement) {
      const database = new DatabaseSync(path)
      try {
        return database
          .prepare(statement)
          .all()
          .map((row) => ({ ...row }))
      } finally {
        database.close()
      }
    },
    async until(what, condition) {
      for (let passedMs = 0; !(await condition()); passedMs += 50) {
        assert.ok(passedMs < 600_000, `${what}: not within ten minutes of the manual clock`)
        await clock.advance(50)
      }
    },
  }
}

export async function createPostgresRig(t: TestContext): Promise<StoreRig> {
  const url = await (await sharedPostgres()).createDatabase()
  const open = opener(t, { ...common(), url, clock: systemClock })
  return {
    store: await open(),
    peer: await open(),
    clock: systemClock,
    open,
    emptyUrl: async () => (await sharedPostgres()).createDatabase(),
    execute: (statement) => queryPostgres(url, statement),
    // Every condition here queries the database, so this loop waits for answers and never spins.
    async until(what, condition) {
      const deadline = performance.now() + patienceMs
      while (!(await condition())) {
        assert.ok(performance.now() < deadline, `${what}: not in time`)
        await queryPostgres(url, 'select 1')
      }
    },
  }
}

const common = () => ({ secretBox: createSecretBox(secretKey), endpointPorts, log: createRecordingLog() })

function opener(t: TestContext, base: SqlStoreOptions) {
  return async (options: Partial<SqlStoreOptions> = {}): Promise<Store> => {
    const store = await openSqlStore({ ...base, ...options })
    t.after(() => store.close())
    return store
  }
}

export async function queryPostgres(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

export function temporaryFolder(t: Ends): string {
  const folder = mkdtempSync(join(tmpdir(), 'granary-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens and closes the store in its own process; resolves with the migrations that it applied. */
export async function openInProcess(url: string): Promise<string[]> {
  const script = `
    import { systemClock } from '${import.meta.resolve('../../src/lib/clock.ts')}'
    import { createSecretBox } from '${import.meta.resolve('../../src/store/secret-box.ts')}'
    import { openSqlStore } from '${import.meta.resolve('../../src/store/sql/open.ts')}'
    const log = { info: ({ migrations }) => console.log(JSON.stringify(migrations)), warn: console.error }
    const secretBox = createSecretBox(new Uint8Array(32).fill(${secretKey[0]}))
    const endpointPorts = ${JSON.stringify(endpointPorts)}
    const store = await openSqlStore({ url: '${url}', secretBox, clock: systemClock, endpointPorts, log })
    await store.ping()
    await store.close()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  return stdout === '' ? [] : (JSON.parse(stdout) as string[])
}

/** Claims exactly this item, and gives back the other due items. */
export async function claimOne(
  store: Store,
  kind: string,
  id: string,
  { owner = 'a', leaseMs = 60_000 } = {},
): Promise<Claim> {
  const claims = await store.work.claim({ owner, kinds: [kind], limit: 1_000, leaseMs })
  const wanted = claims.find((claim) => claim.id === id)
  assert.ok(wanted, `${kind}/${id} is not due`)
  for (const other of claims) {
    if (other !== wanted) await store.work.settle(other, { dueInMs: 0, attempts: 0, reason: '' })
  }
  return wanted
}
