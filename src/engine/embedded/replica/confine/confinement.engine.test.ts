import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { startTestReplica, type TestReplica } from '../../../../../test/support/test-replica.ts'
import { patienceMs } from '../../../../../test/support/warehouse.ts'
import { describeSupport } from '../../../../process/confine/confine.ts'
import type { ReplicaSpec } from '../../protocol.ts'
import { resolveRuntime } from '../../runtime.ts'
import { replicaPolicy } from './confinement.ts'

// Tests the operating system's confinement alone: the SQL filter is off, and clients have every grant of the engine.
const runtime = resolveRuntime()
const secret = 'the-secret-of-somebody-else'
const skip = describeSupport().by === 'none' ? 'nothing confines processes here' : false

interface Attack {
  name: string
  /** Run in order; `SECRET` is another owner's file, `STOLEN` a path that does not exist yet. */
  statements: string[]
  /** Without confinement the attack reads the secret or creates the file; false = this engine refuses it by itself. */
  works: boolean
}

const attacks: Attack[] = [
  { name: 'function file', works: true, statements: ["SELECT file('SECRET')"] },
  {
    name: 'table function file',
    works: true,
    statements: ["SELECT * FROM file('SECRET', 'LineAsString', 'a String')"],
  },
  {
    name: 'url file://',
    works: true,
    statements: ["SELECT * FROM url('file://SECRET', 'LineAsString', 'a String')"],
  },
  { name: 'INTO OUTFILE', works: true, statements: ["SELECT 'x' INTO OUTFILE 'STOLEN' FORMAT TSVRaw"] },
  {
    name: 'insert into file',
    works: true,
    statements: ["INSERT INTO FUNCTION file('STOLEN', 'TSV', 'a String') SELECT 'x'"],
  },
  {
    name: 'table engine File',
    works: true,
    statements: ["CREATE TABLE f (a String) ENGINE = File(LineAsString, 'SECRET')", 'SELECT * FROM f'],
  },
  { name: 'sqlite', works: true, statements: ["SELECT * FROM sqlite('STORE_FILE', 'keys')"] },
  {
    name: 'a view without security',
    works: true,
    statements: [
      "CREATE VIEW v SQL SECURITY NONE AS SELECT * FROM sqlite('STORE_FILE', 'keys')",
      'SELECT * FROM v',
    ],
  },
  { name: 'filesystem', works: true, statements: ["SELECT content FROM filesystem('SECRET')"] },
  {
    name: 'record of errors',
    works: true,
    statements: [
      "SELECT * FROM format(TSV, 'a Int32', 'x') SETTINGS input_format_allow_errors_num = 5, input_format_record_errors_file_path = 'STOLEN'",
    ],
  },
  {
    name: 'executable dictionary',
    works: true,
    statements: [
      "CREATE DICTIONARY e (a UInt64, b String) PRIMARY KEY a SOURCE(EXECUTABLE(COMMAND 'touch STOLEN' FORMAT 'TSV')) LAYOUT(FLAT()) LIFETIME(0)",
      "SELECT dictGet('e', 'b', toUInt64(1))",
    ],
  },
  {
    name: 'file dictionary',
    works: false,
    statements: [
      "CREATE DICTIONARY g (a UInt64, b String) PRIMARY KEY a SOURCE(FILE(PATH 'PAIRS' FORMAT 'CSV')) LAYOUT(FLAT()) LIFETIME(0)",
      'SELECT * FROM g',
    ],
  },
  {
    name: 'disk of its own',
    works: true,
    statements: [
      "CREATE TABLE o (a Int32) ORDER BY a SETTINGS disk = disk(type = local, path = 'STOLEN/')",
      'INSERT INTO o SELECT 1',
    ],
  },
  {
    name: 'EmbeddedRocksDB',
    works: true,
    statements: [
      "CREATE TABLE r (a Int32) ENGINE = EmbeddedRocksDB(0, 'STOLEN') PRIMARY KEY a",
      'INSERT INTO r SELECT 1',
    ],
  },
  { name: 'client command', works: true, statements: ['\\i SECRET'] },
  {
    name: 'INFILE',
    works: true,
    statements: [
      'CREATE TABLE i (a String) ORDER BY a',
      "INSERT INTO i FROM INFILE 'SECRET' FORMAT LineAsString",
      'SELECT * FROM i',
    ],
  },
  { name: 'backup elsewhere', works: false, statements: ["BACKUP DATABASE default TO File('STOLEN')"] },
  { name: 'environment of the process', works: true, statements: ["SELECT file('/proc/self/environ')"] },
]

/** Another owner's directory on the same machine. */
function createVictim(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'granary-victim-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const paths = {
    SECRET: join(home, 'secret.key'),
    PAIRS: join(home, 'pairs.csv'),
    STORE_FILE: join(home, 'granary.db'),
  }
  writeFileSync(paths.SECRET, `${secret}\n`)
  writeFileSync(paths.PAIRS, `1,${secret}\n`)
  const database = new DatabaseSync(paths.STORE_FILE)
  database.exec(`CREATE TABLE keys (k TEXT); INSERT INTO keys VALUES ('${secret}')`)
  database.close()
  mkdirSync(join(home, 'stolen'))
  return { paths, stolen: (index: number) => join(home, 'stolen', String(index)) }
}

async function attack(
  t: TestContext,
  replica: TestReplica,
): Promise<{ name: string; reached: boolean; text: string }[]> {
  const { paths, stolen } = createVictim(t)
  const results = []
  for (const [index, { name, statements }] of attacks.entries()) {
    let text = ''
    for (const statement of statements) {
      const sql = Object.entries({ ...paths, STOLEN: stolen(index) }).reduce(
        (done, [word, path]) => done.replaceAll(word, path),
        statement,
      )
      text += (await replica.send('', sql)).text
    }
    const isRead = text.includes(secret) || text.includes('UV_THREADPOOL_SIZE')
    results.push({ name, reached: isRead || existsSync(stolen(index)), text })
  }
  return results
}

test('the filter off: a confined replica reaches nothing of somebody else by any of these statements', {
  skip,
  timeout: patienceMs,
}, async (t) => {
  if ('missing' in runtime) return
  const replica = await startTestReplica(runtime, { isolation: 'required', trusted: { filter: 'off' } })
  t.after(() => replica.stop())
  for (const { name, reached, text } of await attack(t, replica)) assert.ok(!reached, `${name}: ${text}`)
  assert.equal(await replica.text('SELECT 1'), '1\n')
})

test('the filter off and nothing confined: these statements do what they say', {
  skip,
  timeout: patienceMs,
}, async (t) => {
  if ('missing' in runtime) return
  const replica = await startTestReplica(runtime, { isolation: 'off', trusted: { filter: 'off' } })
  t.after(() => replica.stop())
  const results = await attack(t, replica)
  assert.deepEqual(
    results.map(({ name, reached }) => ({ name, reached })),
    attacks.map(({ name, works }) => ({ name, reached: works })),
    JSON.stringify(results, null, 1),
  )
})

test('the filter off: a confined replica reads of its threads no memory, and an environment without secrets', {
  skip,
  timeout: patienceMs,
}, async (t) => {
  if ('missing' in runtime) return
  const replica = await startTestReplica(runtime, { isolation: 'required', trusted: { filter: 'off' } })
  t.after(() => replica.stop())
  const environment = await replica.text("SELECT file('/proc/thread-self/environ') FORMAT TSVRaw")
  const names = [...environment.matchAll(/(?<=^|\0)\w+(?==)/g)].map(([name]) => name)
  assert.deepEqual(names.sort(), ['NODE_COMPILE_CACHE', 'PATH', 'UV_THREADPOOL_SIZE'])
  const memory = await replica.send('', "SELECT length(file('/proc/thread-self/mem'))")
  assert.equal(memory.text, '0\n')
  const others = await replica.send('', `SELECT file('/proc/${process.pid}/task/${process.pid}/environ')`)
  assert.match(others.text, /Permission denied|CANNOT_OPEN_FILE/)
})

test('certificates are read, and not the keys beside them', () => {
  const directories = { dataDir: '/d', workDir: '/w', backupsDir: '/b', socketPath: '/s/r' }
  const { read } = replicaPolicy({ role: 'writer', ...directories } as ReplicaSpec, '')
  for (const key of ['/etc/ssl/private/x.key', '/etc/pki/tls/private/x.key'])
    assert.deepEqual(
      read.filter((path) => key.startsWith(`${path}/`)),
      [],
    )
})
