import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FormError, readParts } from './multipart.ts'

const type = 'multipart/form-data; boundary=b'
const part = (disposition: string, data: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${data}\r\n`
const read = (text: string, contentType = type) => {
  const { parts, isWhole } = readParts(Buffer.from(text), contentType)
  return { isWhole, parts: parts.map(({ name, fileName, data }) => [name, fileName, data.toString()]) }
}

test('fields and files', async () => {
  const body = `${part('name="q"', 'SELECT\r\n--bc\r\n1')}${part('name="f"; filename="f.tsv"', '', 'Content-Type: text/plain\r\n')}--b--\r\n`
  const parts = [
    ['q', null, 'SELECT\r\n--bc\r\n1'],
    ['f', 'f.tsv', ''],
  ]
  // Any line that begins like a delimiter is one (RFC 2046 §5.1.1), so the data must not contain the boundary.
  assert.throws(() => read(body), FormError)
  const other = body.replaceAll('--bc', '--c')
  assert.deepEqual(read(other), {
    isWhole: true,
    parts: [['q', null, 'SELECT\r\n--c\r\n1'], ...parts.slice(1)],
  })
})

test('what browsers and clients send is read as they meant it', async () => {
  const form = new FormData()
  form.append('query', 'SELECT 1')
  form.append('a"b', 'ü\r\n')
  form.append('file', new Blob(['1\n2\n']), 'ä.tsv')
  const sent = new Request('http://any', { method: 'POST', body: form })
  const body = Buffer.from(await sent.arrayBuffer()).toString()
  assert.deepEqual(read(body, String(sent.headers.get('content-type'))), {
    isWhole: true,
    parts: [
      ['query', null, 'SELECT 1'],
      ['a"b', null, 'ü\r\n'],
      ['file', 'ä.tsv', '1\n2\n'],
    ],
  })
  assert.deepEqual(
    read(
      '--x y\r\ncontent-disposition: form-data; name=q\r\n\r\n1\r\n--x y--',
      `${type.slice(0, 19)}; charset=utf-8; boundary="x y"`,
    ).parts,
    [['q', null, '1']],
  )
})

test('of a beginning, all that has come', () => {
  const body = `${part('name="a"', '1')}${part('name="q"', 'SELECT 12')}--b--\r\n`
  for (let length = 0; length < body.length - 2; length++) {
    const { parts, isWhole } = read(body.slice(0, length))
    assert.equal(isWhole, length >= body.length - 2)
    for (const [name, , value = ''] of parts)
      assert.ok((name === 'a' ? '1\r\n--b' : 'SELECT 12\r\n--b').startsWith(String(value)))
  }
  assert.deepEqual(read(body.slice(0, body.indexOf('12') + 1)).parts.at(-1), ['q', null, 'SELECT 1'])
})

test('what is no form is refused', () => {
  for (const [body, contentType] of [
    ['xyz', type],
    ['preamble\r\n--b\r\n', type],
    [part('name="a"', '1'), 'multipart/form-data'],
    [part('nome="a"', '1'), type],
    [`--b\r\n\r\n1\r\n--b--`, type],
    [part('name="a"', '1', 'Content-Disposition: form-data; name="b"\r\n'), type],
    ['--bx\r\n', type],
  ] as const) {
    assert.throws(() => read(body, contentType), FormError, body)
  }
})
