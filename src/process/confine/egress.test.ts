import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { patienceMs } from '../../../test/support/patience.ts'
import { findMachine } from './egress-filter.ts'

const machine = findMachine()
const options = { skip: 'missing' in machine && machine.missing, timeout: patienceMs }

/** Runs the script in a process of its own, which is confined for good; resolves with its output. */
async function runConfined(list: object, script: string): Promise<string> {
  const code = `
    import { prepareEgress } from '${new URL('./egress.ts', import.meta.url)}'
    import { connect } from 'node:net'
    import { createSocket } from 'node:dgram'
    const guard = await prepareEgress().confine(${JSON.stringify(list)})
    const reach = (to) => new Promise((resolve) => {
      const socket = connect(to, () => { socket.destroy(); resolve('reached') })
      socket.once('error', (error) => resolve(error.code))
    })
    const say = (port, address) => new Promise((resolve) => {
      const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
      socket.send('x', port, address, (error) => { socket.close(); resolve(error?.code ?? 'sent') })
    })
    const found = []
    ${script}
    console.log(JSON.stringify(found))
    process.exit(0)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  return stdout.trim()
}

async function listen(t: TestContext, where: string | number): Promise<{ port: number; reached(): number }> {
  let reached = 0
  const server = createServer((socket) => {
    reached += 1
    socket.destroy()
  })
  server.listen(where)
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, reached: () => reached }
}

test('TCP, UDP and Unix sockets reach nothing that the list does not hold', options, async (t) => {
  const tcp = await listen(t, 0)
  const directory = mkdtempSync(join(tmpdir(), 'granary-egress-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 's')
  const unix = await listen(t, path)
  const udp = createSocket('udp6').bind(0)
  await once(udp, 'listening')
  t.after(() => udp.close())
  let heard = 0
  udp.on('message', () => {
    heard += 1
  })
  const said = await runConfined(
    { widest: 'public', ranges: [{ bytes: [127, 0, 0, 2], bits: 32 }] },
    `for (const host of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.0.0.2'])
       found.push(await reach({ host, port: ${tcp.port} }), await say(${udp.address().port}, host))
     found.push(await reach({ path: '${path}' }))`,
  )
  const refused = ['EMFILE', 'EMFILE']
  assert.deepEqual(JSON.parse(said), [...refused, ...refused, ...refused, 'reached', 'sent', 'EMFILE'])
  assert.equal(tcp.reached(), 1)
  assert.equal(unix.reached(), 0)
  assert.ok(heard <= 1)
})

test(
  'what is granted is reached at its port until it is withdrawn; refusals are told at once',
  options,
  async (t) => {
    const [one, other] = [await listen(t, 0), await listen(t, 0)]
    const at = (port: number) => `{ address: [127, 0, 0, 1], port: ${port} }`
    const said = await runConfined(
      { widest: 'public', ranges: [] },
      `const to = (port) => reach({ host: '127.0.0.1', port })
     const withdraw = guard.grant([${at(one.port)}])
     found.push(await to(${one.port}), await to(${other.port}))
     withdraw()
     const count = guard.count()
     found.push(await to(${one.port}), guard.refusedSince(count))`,
    )
    const refusal = { address: [127, 0, 0, 1], port: one.port }
    assert.deepEqual(JSON.parse(said), ['reached', 'EMFILE', 'EMFILE', [refusal]])
  },
)
