import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { Client } from 'pg'
import { openCopy, openRaw } from './raw-session.ts'

const message = (kind: string, text = ''): Buffer => {
  const head = Buffer.from(`${kind}0000`)
  head.writeUInt32BE(text.length + 4, 1)
  return Buffer.concat([head, Buffer.from(text)])
}

const rows = ['1\tone\n', '2\t\n', `3\t${'x'.repeat(300)}\n`, '4\tfour\n']
/** A notice comes between rows, and the end is for the client. */
const sent = Buffer.concat([
  ...[message('H', 'abc'), message('d', rows[0]), message('N', 'a notice'), message('d', rows[1])],
  ...[message('d', rows[2]), message('S', 'a parameter'), message('d', rows[3])],
  ...[message('c'), message('C', 'COPY 4'), message('Z', 'T')],
])
const tail = sent.subarray(sent.length - (5 + 11 + 6))

/** A client whose parser ends the command with the last byte. */
function fakeClient() {
  const stream = new EventEmitter()
  const parsed: Buffer[] = []
  let command: { submit(connection: object): void; handleReadyForQuery(): void } | null = null
  stream.on('data', (chunk: Buffer) => {
    parsed.push(Buffer.from(chunk))
    if (Buffer.concat(parsed).length === tail.length) command?.handleReadyForQuery()
  })
  const connection = { stream, query() {} }
  const client = {
    connection,
    query(submitted: NonNullable<typeof command>) {
      command = submitted
      submitted.submit(connection)
    },
  }
  return { client: client as unknown as Client, stream, parsed }
}

const cuts = [1, 2, 3, 5, 7, 64, 200, 310, sent.length]

test('rows of a COPY are handed over whole, wherever the network cuts them', async () => {
  for (const size of cuts) {
    const { client, stream, parsed } = fakeClient()
    let [text, count] = ['', 0]
    const raw = openCopy(client, 'COPY', (buffer, start, end, more) => {
      text += buffer.toString('utf8', start, end)
      count += more
      assert.ok(text.endsWith('\n'))
    })
    for (let at = 0; at < sent.length; at += size)
      stream.emit('data', Buffer.from(sent.subarray(at, at + size)))
    await raw.ended
    assert.deepEqual([text, count], [rows.join(''), rows.length], `chunks of ${size} bytes`)
    assert.deepEqual(Buffer.concat(parsed), tail)
  }
})

test('frames are handed over one by one, and then the chunk is', async () => {
  for (const size of cuts) {
    const { client, stream } = fakeClient()
    const found: string[] = []
    let waiting = 0
    const onFrame = (buffer: Buffer, start: number, end: number) => {
      found.push(buffer.toString('utf8', start, end))
      waiting += 1
    }
    const raw = openRaw(client, 'START_REPLICATION', onFrame, () => {
      waiting = 0
    })
    for (let at = 0; at < sent.length; at += size)
      stream.emit('data', Buffer.from(sent.subarray(at, at + size)))
    await raw.ended
    assert.deepEqual([found, waiting], [rows, 0], `chunks of ${size} bytes`)
  }
})
