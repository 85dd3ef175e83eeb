import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { ask, type GatewayRig, startGatewayRig, until, writer } from '../../../test/support/gateway-rig.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { type PlainReplica, startPlainReplica } from '../../../test/support/plain-replica.ts'
import { bodyStallMs, createBodyWatch } from './body-watch.ts'
import { HttpExchange } from './http-exchange.ts'

interface Stage {
  rig: GatewayRig
  replica: PlainReplica
  port: number
  inFlight(): number
  [Symbol.asyncDispose](): Promise<void>
}

async function start(): Promise<Stage> {
  const replica = await startPlainReplica('w')
  const rig = await startGatewayRig()
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  return {
    rig,
    replica,
    port,
    inFlight: () => rig.gateway.activity('s').inFlight,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]()
      await replica[Symbol.asyncDispose]()
    },
  }
}

/** Sends the head of a POST and the beginning of its body, and nothing more. */
function begin(
  port: number,
  beginning: string,
  search = '',
  length = 1_000,
): { socket: Socket; text(): string } {
  const authorization = `Basic ${Buffer.from('default:secret').toString('base64')}`
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      text += String(chunk)
    })
  socket.write(
    `POST /${search} HTTP/1.1\r\nHost: h\r\nAuthorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n${beginning}`,
  )
  return { socket, text: () => text }
}

const stepMs = 5_000
/** Advances the clock in the steps of the watch. */
async function pass({ clock }: GatewayRig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) await clock.advance(stepMs)
}

test('a body that stops coming is ended: before its statement is known, and while it passes through', async () => {
  for (const [beginning, search] of [
    ['SELECT', ''],
    ['1\n', '?query=INSERT+INTO+t+FORMAT+CSV'],
  ] as const) {
    await using stage = await start()
    const { rig, replica } = stage
    let aborted = false
    replica.onHead((request: IncomingMessage) => {
      request
        .on('error', () => {})
        .on('close', () => {
          aborted = !request.complete
        })
      request.resume()
    })
    const { socket, text } = begin(stage.port, beginning, search)
    await until(() => (search === '' ? stage.inFlight() === 1 : replica.begun() === 1))
    // The replica accepts the body only after a moment.
    await rig.clock.advance(1_000)
    await pass(rig, bodyStallMs - stepMs)
    assert.equal(text(), '')
    const closed = once(socket, 'close')
    await pass(rig, 2 * stepMs)
    await closed
    assert.match(
      text(),
      /^HTTP\/1\.1 408 [\s\S]*Connection: close[\s\S]*Code: 209\. DB::Exception: Nothing of the request's body came for 60 seconds/,
    )
    await until(() => stage.inFlight() === 0)
    if (search !== '') await until(() => aborted)
    assert.equal(replica.asked.length, 0)
  }
})

test('a body that comes slowly goes on', async () => {
  await using stage = await start()
  const { rig, replica } = stage
  let received = 0
  replica.onHead((request, response) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    request.on('end', () => response.end('w\n'))
  })
  const { socket, text } = begin(stage.port, '1\n', '?query=INSERT+INTO+t+FORMAT+CSV', 10)
  await until(() => replica.begun() === 1)
  await rig.clock.advance(1_000)
  for (let bytes = 2; bytes < 10; bytes += 2) {
    await until(() => received === bytes)
    await pass(rig, bodyStallMs - stepMs)
    socket.write('2\n')
  }
  await until(() => text().includes('w\n'))
  assert.match(text(), /^HTTP\/1\.1 200 /)
  socket.destroy()
})

test('who has sent all may wait for the answer as long as it takes', async () => {
  await using stage = await start()
  const { rig, replica } = stage
  let answer = () => {}
  replica.onQuery((_asked, response) => {
    answer = () => response.end('late\n')
  })
  const reply = ask(stage.port, 'SELECT sleep')
  await until(() => replica.asked.length === 1)
  await pass(rig, 10 * bodyStallMs)
  assert.equal(stage.inFlight(), 1)
  answer()
  assert.equal((await reply).text, 'late\n')
})

test('a replica that takes no more is not the fault of the client', async () => {
  await using stage = await start()
  const { rig, replica } = stage
  let taken: IncomingMessage | null = null
  replica.onHead((request, response) => {
    taken = request
    request.on('end', () => response.end('w\n'))
  })
  const length = 32 * 1024 * 1024
  const { socket, text } = begin(stage.port, '1\n', '?query=INSERT+INTO+t+FORMAT+CSV', length)
  await until(() => taken !== null)
  await rig.clock.advance(1_000)
  socket.write(Buffer.alloc(length - 2))
  // Writes until all buffers in between are full.
  let before = -1
  while (before !== socket.bytesWritten - socket.writableLength) {
    before = socket.bytesWritten - socket.writableLength
    for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  await pass(rig, 3 * bodyStallMs)
  assert.equal(text(), '')
  ;(taken as unknown as IncomingMessage).resume()
  await until(() => text().includes('w\n'))
  assert.match(text(), /^HTTP\/1\.1 200 /)
  socket.destroy()
})

test('after an answer that needed no body, the connection of a client that sends none is closed', async () => {
  await using stage = await start()
  const { socket, text } = begin(stage.port, 'x', '?user=default&password=wrong')
  await until(() => text().includes('401'))
  const closed = once(socket, 'close')
  await pass(stage.rig, bodyStallMs + 2 * stepMs)
  await closed
})

test('who was answered is forgotten, though the connection stays and nobody read to the end of the body', async () => {
  const clock = createManualClock()
  const watch = createBodyWatch({ clock })
  let mostWatched = 0
  const server = createServer(async (request, response) => {
    const exchange = new HttpExchange(request, response, { isProxy: () => false, clock })
    watch.add(exchange)
    await exchange.body.keep(1_000, () => false)
    mostWatched = Math.max(mostWatched, watch.size)
    exchange.answer(200, String(exchange.body.bytes))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const head = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n'
  for (const parts of [[`${head}ab`], [`${head}a`, 'b'], [head, 'ab'], [`${head}ab`]]) {
    let text = ''
    const answered = Promise.withResolvers<void>()
    socket.removeAllListeners('data').on('data', (chunk) => {
      text += String(chunk)
      if (text.endsWith('\r\n\r\nab')) answered.resolve()
    })
    for (const [index, part] of parts.entries()) {
      socket.write(part)
      if (index < parts.length - 1) await until(() => watch.size === 1)
    }
    await answered.promise
    await until(() => watch.size === 0)
  }
  assert.equal(mostWatched, 1)
  watch.stop()
  socket.destroy()
  server.close()
})

test('connections are kept alive, so that a vanished client is noticed', {
  skip: process.platform !== 'linux',
}, async () => {
  await using stage = await start()
  const { socket } = begin(stage.port, '')
  await until(() => stage.inFlight() === 1)
  const hex = stage.port.toString(16).toUpperCase().padStart(4, '0')
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  // The columns: slot, local, remote, state (01 = established), queues, timer (02 = keep-alive).
  const [line] = lines.filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === '01')
  assert.equal(line?.[5]?.slice(0, 2), '02')
  socket.destroy()
})
