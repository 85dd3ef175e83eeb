import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { refuseForbiddenDefinitions } from '../../src/engine/embedded/backup/definitions.ts'
import { createLocalFolder } from '../../src/engine/embedded/backup/folder.ts'
import { refuseForbiddenDefinition } from '../../src/engine/embedded/filter/definition.ts'
import type { ReplicaSpec, WriterJob, WriterTask } from '../../src/engine/embedded/protocol.ts'
import { resolveRuntime } from '../../src/engine/embedded/runtime.ts'
import type { Attack, Step } from '../support/attacks/attack.ts'
import { type Canaries, plantCanaries } from '../support/attacks/canaries.ts'
import { craftBackup } from '../support/attacks/crafted-backup.ts'
import { harmless } from '../support/attacks/harmless.ts'
import { reachingAttacks } from '../support/attacks/reaching.ts'
import { readingAttacks } from '../support/attacks/reading.ts'
import { type EditedBackup, editedBackups } from '../support/attacks/restored.ts'
import { refusedToAll, refusedToReaders } from '../support/attacks/rights.ts'
import { startTestReplica, type TestReplica } from '../support/test-replica.ts'

/**
 * SQL reaches nothing but its warehouse: a table of attacks on files and programs of the machine, each against
 * the filter alone, the operating system's confinement alone, and both.
 */
const runtime = resolveRuntime()
if ('missing' in runtime) throw new Error(runtime.missing)

const layers: Record<string, Partial<ReplicaSpec>> = {
  'the filter alone': { isolation: 'off' },
  'the confinement alone': { isolation: 'required', trusted: { filter: 'off' } },
  both: { isolation: 'preferred' },
}

for (const [layer, spec] of Object.entries(layers)) {
  suite(`attacks against ${layer}`, () => {
    let replica: TestReplica
    let canaries: Canaries
    before(async () => {
      canaries = plantCanaries()
      replica = await startTestReplica(runtime, spec)
    })
    after(async () => {
      await replica.stop()
      canaries.remove()
    })

    async function send(step: Step, access: string): Promise<{ status: number; text: string }> {
      const headers: Record<string, string> = { 'x-granary-access': access }
      if (typeof step === 'string') return replica.send('', step, { headers })
      const { method = 'POST', search = '', body = null, form, session } = step
      if (session !== undefined) headers['x-granary-session'] = `s1:${access}:${session}`
      if (form === undefined) return replica.send(search, body, { method, headers })
      const encoded = new Response(formOf(form))
      const type = encoded.headers.get('content-type') ?? ''
      const bytes = Buffer.from(await encoded.arrayBuffer())
      return replica.send('', bytes, { headers: { ...headers, 'content-type': type } })
    }

    async function suffer(attacks: Attack[]): Promise<void> {
      const damages: string[] = []
      for (const access of ['ro', 'rw']) {
        for (const { name, steps } of attacks) {
          let answers = ''
          for (const step of steps) answers += (await send(step, access)).text
          const damage = canaries.damage(answers)
          if (damage !== '') damages.push(`${access}: ${name}: ${damage}`)
        }
      }
      assert.deepEqual(damages, [])
      assert.equal((await send('SELECT 1', 'ro')).text, '1\n')
    }

    test('the function file, wherever it is called', () => suffer(readingAttacks(canaries)))
    test('files, directories and programs by other ways', () => suffer(reachingAttacks(canaries)))

    /** Restores as the driver does; resolves with why the restore was refused, or ''. */
    async function restore(id: string, { files }: EditedBackup, isLooked: boolean): Promise<string> {
      const lent = join(replica.spec.backupsDir, 'bases')
      mkdirSync(join(lent, id), { recursive: true })
      craftBackup(join(lent, id), files)
      if (isLooked) {
        const folderOf = (backupId: string) => createLocalFolder(join(lent, backupId))
        const looked = refuseForbiddenDefinitions(id, folderOf, new AbortController().signal)
        const refused = await looked.then(
          () => '',
          (error: Error) => error.message,
        )
        if (refused !== '') return refused
      }
      const task: WriterTask = {
        ...{ id, kind: 'restore', target: { kind: 'local', folder: id }, base: null },
        ...{ functions: [], folders: [id] },
      }
      const ask = async (method: string, body: string | null): Promise<WriterJob> => {
        const search = `id=${id}&wait_ms=1000`
        return JSON.parse((await replica.send(search, body, { path: '/granary/backup', method })).text)
      }
      let job = await ask('POST', JSON.stringify(task))
      while (job.state === 'running') job = await ask('GET', null)
      return job.failure?.message ?? ''
    }

    async function dropRestored(): Promise<void> {
      for (const sql of ['DROP DATABASE IF EXISTS d SYNC', 'DROP TABLE IF EXISTS default.t SYNC'])
        assert.equal((await send(sql, 'rw')).status, 200, sql)
    }

    test('backups whose definitions somebody has edited', async () => {
      const damages: string[] = []
      for (const [at, backup] of editedBackups(canaries).entries()) {
        const refused = await restore(`edited-${at}`, backup, spec.trusted === undefined)
        let answers = refused
        for (const sql of backup.questions) answers += (await send(sql, 'rw')).text
        const damage = canaries.damage(answers)
        if (damage !== '') damages.push(`${backup.object}: ${damage}`)
        if (spec.trusted === undefined && refused !== '' && !refused.includes(backup.object))
          damages.push(`${backup.object} is not named: ${refused}`)
        await dropRestored()
      }
      assert.deepEqual(damages, [])
    })

    if (spec.trusted !== undefined) return

    test('backups that were edited after somebody has looked through them', async () => {
      const late = ['d.url', 'd.given', 'd.held', 'd.view', 'd.adds', 'd.words', 'd.runs', 'd.program']
      const all = editedBackups(canaries).filter(({ object }) => late.includes(object))
      assert.equal(all.length, late.length)
      for (const [at, backup] of all.entries()) {
        const refused = await restore(`late-${at}`, backup, false)
        assert.match(refused, new RegExp(`^the definition of ${backup.object} is refused: .* is not allowed`))
        await dropRestored()
      }
      assert.equal(canaries.damage(''), '')
    })

    test('what would break the warehouse or lift a right is refused', async () => {
      for (const access of ['ro', 'rw']) {
        for (const sql of refusedToAll)
          assert.notEqual((await send(sql, access)).status, 200, `${access}: ${sql}`)
      }
      for (const step of refusedToReaders) {
        assert.notEqual((await send(step, 'ro')).status, 200, JSON.stringify(step))
      }
      assert.equal((await send('SELECT count() FROM system.one', 'ro')).text, '1\n')
    })

    test('ordinary statements that look alike are done', async () => {
      for (const sql of harmless) {
        const { status, text } = await send(sql, 'rw')
        assert.equal(status, 200, `${sql}\n${text}`)
      }
      // The definitions that they made may be restored, too.
      const definitions = await replica.text(
        "SELECT create_table_query FROM system.tables WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') FORMAT JSONCompactEachRow",
      )
      assert.match(definitions, /CREATE/)
      for (const line of definitions.trim().split('\n')) refuseForbiddenDefinition(JSON.parse(line)[0])
    })
  })
}

/** A name that ends with `:file` is an external table's data. */
function formOf(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (name.endsWith(':file')) form.append(name.slice(0, -5), new Blob([value]), 'data')
    else form.append(name, value)
  }
  return form
}
