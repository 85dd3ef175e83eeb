import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { type BackupRig, createBackupRig } from '../../../test/support/backup-rig.ts'
import type { BackupCall } from '../../../test/support/fake-backups.ts'
import { backupOf } from '../../../test/support/store-records.ts'
import type { BackupConfiguration, BackupRecord } from '../../domain/backup/types.ts'

/** An hour of product time passes in a second of the clock. */
const timeScale = 3_600
const hourMs = 1_000
const retentionHours = 48

type Event =
  | { kind: 'pass'; hours: number }
  | { kind: 'ask' }
  | { kind: 'kill'; offHours: number }
  /** Backups fail half-way, or succeed again. */
  | { kind: 'fail'; reason: string }
  /** Calls of this kind throw, or work again. */
  | { kind: 'break'; call: BackupCall; throws: boolean }
  | { kind: 'move'; place: 'local' | 'bucket' }
  | { kind: 'configure'; hours: number }
  /** The files of a backup are damaged or removed; `check` = a verification is requested too. */
  | { kind: 'meddle'; which: number; how: 'damage' | 'remove'; check: boolean }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('pass'), hours: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ask') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill'), offHours: fc.nat(60) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('fail'), reason: fc.constantFrom('', 'disk full') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('break'),
      call: fc.constantFrom<BackupCall>('apply', 'observe', 'cancel', 'verify', 'remove'),
      throws: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('move'), place: fc.constantFrom('local', 'bucket') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('configure'), hours: fc.constantFrom(6, 12, 24) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('meddle'),
      which: fc.nat(9),
      how: fc.constantFrom('damage', 'remove'),
      check: fc.boolean(),
    }),
  },
) as fc.Arbitrary<Event>

/** The oracle, apart from the code under test: the backup and its base chain are done and not known to be damaged. */
function isGood(backup: BackupRecord | undefined, all: readonly BackupRecord[]): boolean {
  if (backup?.status !== 'done' || backup.damaged) return false
  return (
    backup.baseId === null ||
    isGood(
      all.find(({ id }) => id === backup.baseId),
      all,
    )
  )
}

/** Plays the events and checks the promises after every step. */
async function live(t: TestContext, events: readonly Event[]): Promise<void> {
  const rig = await createBackupRig(t)
  const { store, clock, locations, list } = rig
  const meddled = new Set<string>()
  const broken = new Set<BackupCall>()
  let known: BackupRecord[] = []
  let failure = ''
  const problems: string[] = []

  const database = new DatabaseSync(rig.path)
  const stored = () => database.prepare('select id, started_at, doc from backups').all().map(toRecord)
  const mayRemove = (id: string) => {
    const all = stored()
    const victim = all.find((each) => each.id === id)
    const because = (problem: string) => problems.push(`${id} was removed: ${problem}`)
    if (victim?.status !== 'error') because('it was never given up')
    if (all.some((each) => each.baseId === id && each.status === 'done')) because('something stands on it')
    if (!victim?.removing) return
    const ageHours = (clock.now() - (victim.finishedAtMs ?? 0)) / hourMs
    if (ageHours <= retentionHours) because(`inside the retention, after ${ageHours} h`)
    const newer = all.some((each) => isGood(each, all) && each.startedAtMs > victim.startedAtMs)
    if (!newer && victim.verification.status === 'good') because('it was the last good one')
  }
  const boot = () => {
    rig.boot({ timeScale })
    const runtime = rig.runtime()
    Object.assign(runtime, { makeMs: 300, readMs: 200, failure })
    runtime.before = (call, id) => {
      if (broken.has(call)) throw new Error(`${call} is broken`)
      if (call === 'remove') mayRemove(id)
    }
  }
  const look = async () => {
    const records = await list()
    const { disk } = rig.runtime()
    for (const id of disk.keys())
      assert.ok(
        records.some((each) => each.id === id),
        'a file without a record',
      )
    for (const { id, status } of records)
      assert.ok(status !== 'done' || meddled.has(id) || disk.get(id)?.whole, 'done, and without its files')
    assert.ok(records.filter(({ status }) => status === 'in_progress').length <= 1, 'two at once')
    assert.deepEqual(problems, [])
    known = records
  }
  const pass = async (hours: number) => {
    for (let passed = 0; passed < hours; passed += 1) {
      await clock.advance(hourMs)
      await look()
    }
  }

  await configure(rig, 6)
  boot()
  for (const each of events) {
    if (each.kind === 'pass') await pass(each.hours)
    else if (each.kind === 'ask') await askUnlessOneRuns(rig)
    else if (each.kind === 'kill') {
      await rig.kill()
      await pass(each.offHours)
      boot()
    } else if (each.kind === 'fail') {
      failure = each.reason
      rig.runtime().failure = failure
    } else if (each.kind === 'break') each.throws ? broken.add(each.call) : broken.delete(each.call)
    else if (each.kind === 'move') locations.now = each.place
    else if (each.kind === 'configure') await configure(rig, each.hours)
    else await meddle(rig, each, meddled)
    await look()
  }

  // In the end everything works again: leftovers are removed, and there is a good backup.
  broken.clear()
  failure = ''
  rig.runtime().failure = ''
  await pass(30)
  for (const item of await rig.backupsQueued()) await store.work.nudge('backup', item.slice('backup/'.length))
  await pass(30)
  for (let n = 0; n < 9 && (await rig.backupsQueued()).length > 0; n += 1) await pass(1)
  const done = known.filter(({ status }) => status === 'done').map(({ id }) => id)
  const whole = (ids: Iterable<string>) => [...ids].filter((id) => !meddled.has(id)).sort()
  assert.deepEqual(whole(rig.runtime().disk.keys()), whole(done))
  const newest = known.find((each) => isGood(each, known))
  assert.ok(newest && (clock.now() - newest.startedAtMs) / hourMs <= 24 + 2, 'no good backup of late')
  assert.ok(!known.some(({ removing }) => removing))
  assert.deepEqual(await rig.backupsQueued(), [])
  database.close()
  await rig.kill()
}

function toRecord(row: Record<string, unknown>): BackupRecord {
  const document = JSON.parse(String(row['doc'])) as BackupRecord
  return { ...document, id: String(row['id']), startedAtMs: Number(row['started_at']) }
}

const configure = ({ store, service }: BackupRig, hours: number) => {
  const configuration: BackupConfiguration = {
    backupPeriodInHours: hours,
    backupRetentionPeriodInHours: retentionHours,
    backupStartTime: '',
  }
  return store.transaction((tx) => tx.services.saveBackupConfiguration(service.id, configuration))
}

/** In one transaction, as the API does: the schedule may begin a backup at the same time. */
function askUnlessOneRuns({ store, service, clock }: BackupRig): Promise<void> {
  return store.transaction(async ({ backups }) => {
    if (await backups.running(service.id)) return
    await backups.insert(backupOf(service, { startedAtMs: clock.now() }))
  })
}

async function meddle(
  { list, store, runtime }: BackupRig,
  { which, how, check }: Event & { kind: 'meddle' },
  meddled: Set<string>,
): Promise<void> {
  const done = (await list()).filter(
    (each) => each.status === 'done' && each.verification.status !== 'in_progress',
  )
  const victim = done[which % Math.max(1, done.length)]
  if (!victim) return
  meddled.add(victim.id)
  const files = runtime().disk.get(victim.id)
  if (how === 'remove') runtime().disk.delete(victim.id)
  else if (files) files.damaged = true
  if (!check) return
  const verification = { ...victim.verification, status: 'in_progress' as const }
  await store.transaction((tx) => tx.backups.saveIntent({ ...victim, verification }))
}

test('weeks of failures, crashes and meddling: the last good backup stays, and nothing is left over', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 40 }), (events) => live(t, events)),
    { seed: 11, numRuns: 15, interruptAfterTimeLimit: 100_000 },
  )
})
