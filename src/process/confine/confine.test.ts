import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ConfinedReport, ConfinedTask } from '../../../test/support/confined-child.ts'
import { describeSupport, type Policy, supportText } from './confine.ts'

const child = fileURLToPath(new URL('../../../test/support/confined-child.ts', import.meta.url))
const support = describeSupport()
const noConfinement = support.by === 'none' ? supportText(support) : false

async function run(task: ConfinedTask): Promise<ConfinedReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, JSON.stringify(task)])
  return JSON.parse(stdout) as ConfinedReport
}

/** A directory that the process may write, one that it may read, and a foreign one. */
function createPlaces(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'granary-confine-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const [own, shown, other] = ['own', 'shown', 'other'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [own, shown, other]) {
    mkdirSync(path)
    writeFileSync(join(path, 'file'), 'theirs')
    writeFileSync(join(path, 'second'), 'theirs')
  }
  const policy: Policy = {
    read: [shown, '/proc/self/task'],
    write: [own],
    devices: ['/dev/null'],
    sockets: [],
  }
  return { root, own, shown, other, policy }
}

test('a confined process writes what is its own, reads what it is shown, and reaches nothing else', {
  skip: noConfinement,
}, async (t) => {
  const { own, shown, other, policy } = createPlaces(t)
  const table: [ConfinedTask['attempts'][number], string][] = [
    [['read', join(own, 'file')], ''],
    [['list', own], ''],
    [['write', join(own, 'new')], ''],
    [['append', join(own, 'new')], ''],
    [['truncate', join(own, 'new')], ''],
    [['makeDirectory', join(own, 'd')], ''],
    [['rename', join(own, 'new'), join(own, 'd', 'moved')], ''],
    [['link', join(own, 'file'), join(own, 'd', 'linked')], ''],
    [['symlink', join(other, 'file'), join(own, 'link')], ''],
    [['fifo', join(own, 'fifo')], ''],
    [['remove', join(own, 'second')], ''],
    [['write', '/dev/null'], ''],
    [['read', join(shown, 'file')], ''],
    [['list', shown], ''],
    [['write', join(shown, 'file')], 'EACCES'],
    [['append', join(shown, 'file')], 'EACCES'],
    [['truncate', join(shown, 'file')], 'EACCES'],
    [['write', join(shown, 'new')], 'EACCES'],
    [['remove', join(shown, 'file')], 'EACCES'],
    [['rename', join(shown, 'file'), join(own, 'taken')], 'EACCES'],
    [['read', join(other, 'file')], 'EACCES'],
    [['read', join(own, 'link')], 'EACCES'],
    [['list', other], 'EACCES'],
    [['write', join(other, 'file')], 'EACCES'],
    [['write', join(other, 'new')], 'EACCES'],
    [['makeDirectory', join(other, 'd')], 'EACCES'],
    [['fifo', join(other, 'fifo')], 'errno 13'],
    [['truncate', join(other, 'file')], 'EACCES'],
    [['remove', join(other, 'file')], 'EACCES'],
    [['link', join(other, 'file'), join(own, 'stolen')], 'EXDEV'],
    [['rename', join(own, 'file'), join(other, 'given')], 'EACCES'],
    [['read', '/etc/hostname'], 'EACCES'],
    [['read', '/proc/self/environ'], 'EACCES'],
    [['read', `/proc/${process.pid}/environ`], 'EACCES'],
    [['list', '/proc'], 'EACCES'],
    [['execute', '/bin/true'], 'EACCES'],
    [['execute', process.execPath], 'EACCES'],
    [['signal', String(process.pid)], 'EPERM'],
    [['listen', '0'], 'EACCES'],
    [['listen', join(own, 'socket')], 'EACCES'],
  ]
  const { outcomes, outside } = await run({ policy, attempts: table.map(([attempt]) => attempt) })
  assert.deepEqual(
    outcomes.map((outcome, index) => [table[index]?.[0], outcome]),
    table,
  )
  assert.equal(readFileSync(join(other, 'file'), 'utf8'), 'theirs')
  // The threads that reach files are confined; those that Node starts for itself are older.
  assert.deepEqual([...new Set(outside)].sort(), ['DelayedTaskSche', 'SignalInspector', 'V8Worker'])
})

test('where it may make sockets, it may do nothing else', { skip: noConfinement }, async (t) => {
  const { other, own, policy } = createPlaces(t)
  const { outcomes } = await run({
    policy: { ...policy, sockets: [other] },
    attempts: [
      ['listen', join(other, 's')],
      ['list', other],
      ['remove', join(other, 'file')],
      ['listen', join(own, 's')],
    ],
  })
  assert.deepEqual(outcomes, ['', 'EACCES', 'EACCES', 'EACCES'])
})

test('a file in place of a directory, and what is not there, are no trouble in a list of what is read', {
  skip: noConfinement,
}, async (t) => {
  const { other, root, policy } = createPlaces(t)
  const { outcomes } = await run({
    policy: { ...policy, read: [join(other, 'file'), join(root, 'nothing')] },
    attempts: [
      ['read', join(other, 'file')],
      ['read', join(other, 'second')],
      ['write', join(other, 'file')],
    ],
  })
  assert.deepEqual(outcomes, ['', 'EACCES', 'EACCES'])
})

test('a place to write that is not there is an error, and leaves the process as it was', {
  skip: noConfinement,
}, async (t) => {
  const { other, root, policy } = createPlaces(t)
  const { confinement, outcomes } = await run({
    policy: { ...policy, write: [join(root, 'nothing')] },
    attempts: [['read', join(other, 'file')]],
  })
  assert.match(confinement, /ENOENT/)
  assert.deepEqual(outcomes, [''])
})

test('a process whose thread pool runs already is not said to be confined', {
  skip: noConfinement,
}, async (t) => {
  const { other, policy } = createPlaces(t)
  const { confinement, outcomes } = await run({
    ...{ policy, late: true, attempts: [['read', join(other, 'file')]] },
  })
  assert.match(confinement, /thread pool runs already/)
  assert.deepEqual(outcomes, [''])
})

test('without confinement all of this works: the attempts are real', async (t) => {
  const { other, own } = createPlaces(t)
  const { outcomes } = await run({
    policy: null,
    attempts: [
      ['read', join(other, 'file')],
      ['write', join(other, 'new')],
      ['link', join(other, 'file'), join(own, 'stolen')],
      ['execute', process.execPath],
      ['signal', String(process.pid)],
      ['listen', '0'],
      ['listen', join(own, 'socket')],
      ['fifo', join(own, 'fifo')],
    ],
  })
  assert.deepEqual(outcomes, ['', '', '', '', '', '', '', ''])
  assert.ok(existsSync(join(own, 'fifo')))
})
