import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createGunzip, createGzip, gunzipSync, gzipSync } from 'node:zlib'
import { exceptionBlock } from '../../../../lib/clickhouse/exception-block.ts'
import { EngineError } from '../../engine-error.ts'
import { type Answer, type AnswerOptions, createAnswer } from './answer.ts'

let use: (answer: Answer) => void
let given: Partial<AnswerOptions>
const server = createServer((_request, response) => {
  use(createAnswer({ ...defaults, ...given, response }))
})
const defaults = {
  ...{ queryId: 'q', format: 'CSV', contentType: 'text/csv', timezone: 'UTC', version: '1.2', cors: false },
  ...{ holdBytes: 10, encoders: () => [], errorEncoders: () => [], isEncoded: false, contentEncoding: '' },
}
const read = { rowsRead: 3, bytesRead: 24, resultRows: 3 }
const summary = { ...read, rowsWritten: 0, bytesWritten: 0, elapsedSeconds: 0.5 }
const failure = new EngineError(395, 'THROWN', 'boom')

before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => server.close())

const gzip = () => [createGzip()]
const encoded = { encoders: gzip, errorEncoders: gzip, isEncoded: true, contentEncoding: 'gzip' }

async function ask(options: Partial<AnswerOptions>, how: (answer: Answer) => void) {
  given = options
  use = how
  const { port } = server.address() as AddressInfo
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject).end()
  })
  const chunks: Buffer[] = []
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
  } catch {
    // `complete` shows the failure.
  }
  const { statusCode: status, headers, complete } = answer
  return { status, headers, complete, bytes: Buffer.concat(chunks), text: Buffer.concat(chunks).toString() }
}

test('a small result is sent with its length and summary', async () => {
  const { headers, text } = await ask({}, (answer) => {
    answer.write(Buffer.from('ab'))
    answer.write(Buffer.from('cd'))
    answer.end(summary)
  })
  assert.equal(text, 'abcd')
  assert.equal(headers['content-length'], '4')
  const { read_rows, elapsed_ns, result_bytes } = JSON.parse(String(headers['x-clickhouse-summary']))
  assert.deepEqual([read_rows, elapsed_ns, result_bytes], ['3', '500000000', '4'])
})

test('a failure before anything was sent is an error answer, whatever was held', async () => {
  const { status, headers, text } = await ask({}, (answer) => {
    answer.write(Buffer.from('ab'))
    answer.fail(failure)
  })
  assert.deepEqual([status, headers['x-clickhouse-exception-code']], [500, '395'])
  assert.equal(text, 'Code: 395. DB::Exception: boom. (THROWN) (version 1.2)\n')
})

test('a failure after that is told at the end, and the end is missing', async () => {
  const write = (answer: Answer) => {
    answer.write(Buffer.from('0123456789abc'))
    answer.fail(failure)
  }
  const plain = await ask({}, write)
  const tag = String(plain.headers['x-clickhouse-exception-tag'])
  assert.equal(
    plain.text,
    `0123456789abc${exceptionBlock('Code: 395. DB::Exception: boom. (THROWN) (version 1.2)\n', tag)}`,
  )
  assert.equal(plain.complete, false)
  const zipped = await ask({ ...encoded, lingerMs: 1 }, write)
  assert.equal(zipped.complete, false)
  assert.match(
    gunzipSync(zipped.bytes).toString(),
    /^0123456789abc\r\n__exception__\r\n.*boom.*__exception__\r\n$/s,
  )
})

test('behind an encoded answer that broke off the connection stays open until its client closes it', async () => {
  given = { ...encoded, lingerMs: 1_000_000 }
  const closed = Promise.withResolvers<void>()
  use = (answer) => {
    answer.write(Buffer.from('0123456789abc'))
    answer.fail(failure)
  }
  server.once('connection', (socket) => socket.once('close', () => closed.resolve()))
  const { port } = server.address() as AddressInfo
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject).end()
  })
  await new Promise<void>((resolve) => {
    let text = ''
    const plain = answer.on('error', () => undefined).pipe(createGunzip())
    plain.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (/boom.*__exception__\r\n$/s.test(text)) resolve()
    })
  })
  answer.destroy()
  await closed.promise
})

test('what the engine has encoded is followed by an exception in the same encoding', async () => {
  const engines = { errorEncoders: gzip, contentEncoding: 'gzip', lingerMs: 1 }
  const { bytes, complete } = await ask(engines, (answer) => {
    answer.write(gzipSync('0123456789abc'))
    answer.fail(failure)
  })
  assert.equal(complete, false)
  assert.match(gunzipSync(bytes).toString(), /^0123456789abc\r\n__exception__\r\n.*boom/s)
})

test('an error is encoded like the result that it stands for', async () => {
  const { status, headers, bytes, complete } = await ask(encoded, (answer) => answer.fail(failure))
  assert.deepEqual([status, headers['content-encoding'], complete], [500, 'gzip', true])
  assert.match(gunzipSync(bytes).toString(), /^Code: 395\. .*boom/)
})

test('an encoded result; nothing is encoded where there is nothing', async () => {
  for (const text of ['short', 'longer than what is held']) {
    const { headers, bytes } = await ask(encoded, (answer) => {
      answer.write(Buffer.from(text))
      answer.end(summary)
    })
    assert.equal(headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(bytes).toString(), text)
  }
  const empty = await ask(encoded, (answer) => answer.end(summary))
  assert.deepEqual([empty.headers['content-encoding'], empty.headers['content-length']], [undefined, '0'])
})

test('a client that does not read makes the writer wait', async () => {
  const chunk = Buffer.alloc(64 * 1024)
  const { bytes } = await ask({}, (answer) => {
    let written = 0
    const more = () => {
      while (written < 400) {
        written++
        if (!answer.write(chunk)) return
      }
      answer.end(summary)
    }
    answer.onDrain = more
    more()
    assert.ok(written < 400, 'all was taken at once')
  })
  assert.equal(bytes.length, 400 * chunk.length)
})

test('a chunk that was given is empty once it is sent, one that was written stays', async () => {
  const chunks = Array.from('abcdef', (letter) => Buffer.alloc(64 * 1024, letter))
  const [first, last] = [Buffer.alloc(64 * 1024, '-'), Buffer.alloc(64 * 1024, '.')]
  const expected = Buffer.concat([first, ...chunks, last])
  const { bytes } = await ask({}, (answer) => {
    answer.write(first)
    for (const chunk of chunks) answer.give(chunk)
    answer.write(last)
    assert.equal(answer.resultBytes, expected.length)
    answer.end(summary)
  })
  assert.ok(bytes.equals(expected))
  assert.deepEqual(
    chunks.map(({ length }) => length),
    chunks.map(() => 0),
  )
  assert.equal(last.length, 64 * 1024)
})

test('the block of an exception counts bytes, and is not longer than clients expect', () => {
  assert.equal(exceptionBlock('ü\n', 'tag'), '\r\n__exception__\r\ntag\r\nü\n3 tag\r\n__exception__\r\n')
  assert.ok(exceptionBlock('ü'.repeat(100_000), 'tag').length < 17_000)
})
