import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { patienceMs } from '../../../test/support/patience.ts'
import { identify, isAlive, listByScript, signalExactly } from './identity.ts'

async function startChild(t: TestContext, ...args: string[]): Promise<ChildProcess & { pid: number }> {
  const script = 'console.log("up"); setInterval(() => {}, 1000)'
  const child = spawn(process.execPath, ['-e', script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  assert.ok(child.pid !== undefined)
  return child as ChildProcess & { pid: number }
}

test('a process is known by its pid and its birth, and after its end no more', async (t) => {
  const child = await startChild(t)
  const identity = (await identify(child.pid)) ?? assert.fail()
  assert.deepEqual(await identify(child.pid), identity)
  assert.notEqual((await identify(process.pid))?.began, identity.began)
  assert.ok(await isAlive(identity))
  const exited = once(child, 'exit')
  assert.ok(await signalExactly(identity, 'SIGKILL'))
  await exited
  assert.ok(!(await isAlive(identity)))
  assert.equal(await identify(child.pid), null)
  assert.equal(await signalExactly(identity, 'SIGKILL'), false)
})

test('the same pid with another birth is another process: it is never reached', async (t) => {
  const child = await startChild(t)
  const reused = { pid: child.pid, began: 'another boot:1' }
  assert.ok(!(await isAlive(reused)))
  assert.equal(await signalExactly(reused, 'SIGKILL'), false)
  assert.ok(await isAlive((await identify(child.pid)) ?? assert.fail()))
})

test('a dead process that its parent has not waited for is dead', {
  skip: process.platform !== 'linux',
}, async (t) => {
  // The shell starts a child that exits at once, and then becomes a program that never reaps it.
  const script = '(exit 0) & echo $!; exec sleep 3600'
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => shell.kill('SIGKILL'))
  const [text] = (await once(shell.stdout, 'data')) as [Buffer]
  const pid = Number(text.toString().trim())
  const deadline = performance.now() + patienceMs
  while ((await identify(pid)) !== null) assert.ok(performance.now() < deadline, 'counted as alive')
})

test('processes are found by their script and directory, not by words that merely look like it', async (t) => {
  const script = '/nowhere/granary test/replica/main.ts'
  const workDir = '/nowhere/data dir/warehouses/w/replicas/s-0.1'
  const replica = await startChild(t, script, workDir, '/nowhere/library')
  await startChild(t, workDir, script)
  await startChild(t, `${script} ${workDir}`)
  await startChild(t, `${workDir}/replica.log`)
  const found = await listByScript(script)
  assert.deepEqual(
    found.filter((each) => each.workDir === workDir),
    [{ pid: replica.pid, workDir }],
  )
})
