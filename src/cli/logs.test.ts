import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'
import { serviceId } from '../../test/support/cli-samples.ts'
import { createLineReader } from './log-lines.ts'

const line = (level: number, msg: string, more: object = {}) =>
  `${JSON.stringify({ level, time: Date.UTC(2030, 0, 1), msg, ...more })}\n`
const path = '/home/someone/data/granary.log'
const files = {
  [`${path}.1`]: line(30, 'oldest') + line(50, 'broken', { serviceId }),
  [path]: `${line(30, 'fine\u001b[2J', { url: `/services/${serviceId}` })}no json\n${line(40, 'odd')}`,
}
const read = (...argv: string[]) => granary('http://127.0.0.1:1', ['logs', ...argv], { files })

test('the newest lines of both files, by level and by what they are about', async () => {
  const { code, stdout, stderr } = await read()
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(
    stdout,
    /^2030-01-01T00:00:00.000Z info {2}oldest\n.* error broken .*\n.* info {2}fine\ufffd.*\n.* odd\n$/,
  )
  assert.match((await read('--lines', '1')).stdout, /^[^\n]* odd\n$/)
  assert.match((await read('--level', 'warn', '--service', serviceId)).stdout, /^[^\n]* broken [^\n]*\n$/)
  const asJson = (await read('--service', serviceId, '--json')).stdout.trim().split('\n')
  assert.deepEqual(
    asJson.map((text) => JSON.parse(text).level),
    [50, 30],
  )
})

test('a server that wrote none, and a wrong number, are told', async () => {
  const { code, stderr } = await granary('http://127.0.0.1:1', ['logs', '--data-dir', '/nowhere'])
  assert.equal(code, 1)
  assert.match(stderr, /there is no log at \/nowhere\/granary\.log/)
  assert.equal((await read('--lines', '-1')).code, 2)
})

test('lines that are added are read once, whole, and a new file from its begin', async () => {
  let content = 'one\ntw'
  let file = 'a'
  const reader = createLineReader(
    {
      readPart: async (_, from, atMost) => {
        const bytes = new TextEncoder().encode(content)
        return { bytes: bytes.subarray(from, from + atMost), size: bytes.length, file }
      },
    },
    path,
  )
  const more = async () => {
    const found: string[] = []
    for await (const text of reader.more()) found.push(text)
    return found
  }
  assert.deepEqual(await more(), ['one'])
  content += 'o\n'
  assert.deepEqual(await more(), ['two'])
  assert.deepEqual(await more(), [])
  ;[content, file] = ['three\nfour\n', 'b']
  assert.deepEqual(await more(), ['three', 'four'])
})
