import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AnswerHead, createAnswerParser, maxHeadBytes } from './answer-parser.ts'

interface Read {
  continues: number
  heads: AnswerHead[]
  bodies: string[]
  ends: number
}

/** Feeds the text, cut at these offsets; the last body is the one in progress. */
function read(text: string, cuts: number[] = []): Read & { end(): void; isUntouched(): boolean } {
  const seen: Read = { continues: 0, heads: [], bodies: [], ends: 0 }
  const parser = createAnswerParser({
    onContinue: () => void seen.continues++,
    onHead: (head) => {
      seen.heads.push(head)
      seen.bodies.push('')
    },
    onBody: (bytes) => void seen.bodies.push((seen.bodies.pop() ?? '') + bytes.toString('latin1')),
    onEnd: () => void seen.ends++,
  })
  const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
  for (let i = 1; i < places.length; i++) {
    const part = text.slice(places[i - 1], places[i])
    if (part !== '') parser.push(Buffer.from(part, 'latin1'))
  }
  return { ...seen, end: () => parser.end(), isUntouched: () => parser.isUntouched }
}

const chunked =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nX-A: b\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nT: 1\r\n\r\n'
const counted = 'HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nX-ClickHouse-Exception-Code: 60\r\n\r\nabc'
const empty = 'HTTP/1.1 204 No Content\r\n\r\n'

test('an answer with a length', () => {
  const { heads, bodies, ends } = read(counted)
  assert.deepEqual(heads[0]?.headers, ['Content-Length', '3', 'X-ClickHouse-Exception-Code', '60'])
  assert.equal(heads[0]?.status, 404)
  assert.equal(heads[0]?.statusText, 'Not Found')
  assert.equal(heads[0]?.contentLength, 3)
  assert.deepEqual([bodies, ends], [['abc'], 1])
})

test('answers one after the other, cut anywhere, read the same', () => {
  const text = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${chunked}${counted}${empty}${chunked}`
  const whole = read(text)
  assert.deepEqual(whole.bodies, ['hello!', 'abc', '', 'hello!'])
  assert.equal(whole.ends, 4)
  assert.equal(whole.continues, 1)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 30 }), (cuts) => {
      const { continues, heads, bodies, ends } = read(text, cuts)
      assert.deepEqual(
        { continues, heads, bodies, ends },
        { continues: whole.continues, heads: whole.heads, bodies: whole.bodies, ends: whole.ends },
      )
    }),
  )
})

test('byte by byte too', () => {
  const { bodies, ends } = read(
    chunked,
    Array.from(chunked, (_, i) => i),
  )
  assert.deepEqual([bodies, ends], [['hello!'], 1])
})

test('a body without length or chunks ends with the connection', () => {
  const answer = read('HTTP/1.0 200 OK\r\nX-A: b\r\n\r\nhalf')
  assert.equal(answer.ends, 0)
  assert.equal(answer.heads[0]?.keepAlive, false)
  assert.doesNotThrow(answer.end)
})

test('a connection that ends in mid-answer is an error, one that ends between answers is not', () => {
  for (const text of [counted.slice(0, -1), chunked.slice(0, -2), 'HTTP/1.1 200 OK\r\n']) {
    assert.throws(read(text).end, /mid-answer/, JSON.stringify(text))
  }
  assert.doesNotThrow(read(counted).end)
  assert.equal(read('').isUntouched(), true)
  assert.equal(read('H').isUntouched(), false)
})

test('whether another request may follow', () => {
  const keepAlive = (head: string) => read(`${head}Content-Length: 0\r\n\r\n`).heads[0]?.keepAlive
  assert.equal(keepAlive('HTTP/1.1 200 OK\r\n'), true)
  assert.equal(keepAlive('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n'), true)
  assert.equal(keepAlive('HTTP/1.1 200 OK\r\nConnection: Close\r\n'), false)
  assert.equal(keepAlive('HTTP/1.0 200 OK\r\n'), false)
})

test('a length beside chunks means nothing', () => {
  const { bodies, heads } = read(chunked.replace('X-A: b', 'Content-Length: 2'))
  assert.deepEqual(bodies, ['hello!'])
  assert.equal(heads[0]?.contentLength, null)
})

test('what is not HTTP is refused', () => {
  for (const text of [
    'SSH-2.0-x\r\n\r\n',
    'HTTP/2 200 OK\r\n\r\n',
    'HTTP/1.1 999 Far\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
    'HTTP/1.1 200 OK\r\n: nameless\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'0'.repeat(5000)}`,
    `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(maxHeadBytes)}`,
  ]) {
    assert.throws(() => read(text), /replica/, JSON.stringify(text.slice(0, 80)))
  }
})
