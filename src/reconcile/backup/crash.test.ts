import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type BackupRig, createBackupRig } from '../../../test/support/backup-rig.ts'
import { backupOf } from '../../../test/support/store-records.ts'

const hourMs = 3_600_000

/** Runs a scenario once for every call that its process makes; the process dies at that call. */
async function dieEverywhere(
  t: TestContext,
  scenario: { prepare(rig: BackupRig): Promise<void>; ends(rig: BackupRig): Promise<void> },
): Promise<void> {
  for (const when of ['before', 'after'] as const) {
    for (let atCall = 1; ; atCall += 1) {
      const rig = await createBackupRig(t)
      const { boot, kill, clock, died } = rig
      rig.runtime().makeMs = 300
      rig.runtime().readMs = 300
      await scenario.prepare(rig)
      boot({ dies: { atCall, when } })
      await clock.advance(3_000)
      const survived = !died()
      await kill()
      boot()
      rig.runtime().makeMs = 300
      rig.runtime().readMs = 300
      await clock.advance(60_000)
      const at = `died ${when} call ${atCall}`
      await assertWhole(rig, at)
      await scenario.ends(rig)
      await kill()
      if (survived) {
        assert.ok(atCall > 10, 'hardly anything was called')
        break
      }
    }
  }
}

/** Nothing is half done, nothing is left over, and nothing is lost. */
async function assertWhole({ list, runtime, backupsQueued }: BackupRig, at: string): Promise<void> {
  const records = await list()
  const { disk } = runtime()
  const listed = records.filter(({ status }) => status === 'done').map(({ id }) => id)
  assert.deepEqual([...disk.keys()].sort(), listed.sort(), `${at}: files and records differ`)
  for (const id of listed) assert.ok(disk.get(id)?.whole, `${at}: half of it is called done`)
  assert.ok(!records.some(({ status, removing }) => status === 'in_progress' || removing), at)
  assert.deepEqual(await backupsQueued(), [], at)
}

test('killed at any moment while a backup is made: it is made by the next process', async (t) => {
  await dieEverywhere(t, {
    prepare: async ({ ask }) => void (await ask()),
    ends: async ({ list }) =>
      assert.deepEqual(
        (await list()).map(({ status }) => status),
        ['done'],
      ),
  })
})

test('killed at any moment while a backup fails: nothing is left of it', async (t) => {
  await dieEverywhere(t, {
    async prepare(rig) {
      await rig.ask({ attempts: 1 })
      const [{ id } = assert.fail()] = await rig.list()
      rig.runtime().disk.set(id, { place: 'local', baseId: null, whole: false, damaged: false })
      rig.runtime().failure = 'no space is left on the disk'
    },
    async ends({ list }) {
      const [{ status } = assert.fail()] = await list()
      assert.ok(status === 'error' || status === 'done')
    },
  })
})

test('killed at any moment while backups go out of retention: they go in the end, and the others stay', async (t) => {
  const done = (rig: BackupRig, hoursAgo: number, baseId: string | null) => {
    const startedAtMs = rig.clock.now() - hoursAgo * hourMs
    const type = baseId === null ? ('full' as const) : ('incremental' as const)
    const over = { status: 'done' as const, startedAtMs, finishedAtMs: startedAtMs, type, baseId }
    const backup = backupOf(rig.service, over)
    rig.runtime().disk.set(backup.id, { place: 'local', baseId, whole: true, damaged: false })
    return backup
  }
  await dieEverywhere(t, {
    async prepare(rig) {
      const base = done(rig, 60, null)
      const all = [base, done(rig, 54, base.id), done(rig, 3, null), done(rig, 2, null)]
      for (const backup of all) await rig.store.transaction((tx) => tx.backups.insert(backup))
    },
    ends: async ({ list }) => assert.equal((await list()).length, 2),
  })
})
