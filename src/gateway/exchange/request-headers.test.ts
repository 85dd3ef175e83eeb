import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeaders } from './request-headers.ts'

test('credentials, our own headers and those of the connection end here, the rest goes on as it came', () => {
  const { forwarded } = readHeaders([
    ...['Host', 'h', 'Connection', 'keep-alive', 'Keep-Alive', '3', 'TE', 'trailers', 'Upgrade', 'h2c'],
    ...['Authorization', 'Basic x', 'X-ClickHouse-User', 'u', 'x-clickhouse-key', 'k', 'Cookie', 'c=1'],
    ...['X-Granary-User', 'root', 'x-GRANARY-access', 'rw', 'X-Granary-Session', 's'],
    ...[
      'X-Forwarded-For',
      '1.1.1.1',
      'Proxy-Authorization',
      'p',
      'Content-Length',
      '3',
      'Expect',
      '100-continue',
    ],
    ...['X-ClickHouse-Format', 'JSON', 'accept-ENCODING', 'gzip', 'Content-Type', 'text/plain'],
  ])
  assert.equal(
    forwarded,
    'X-ClickHouse-Format: JSON\r\naccept-ENCODING: gzip\r\nContent-Type: text/plain\r\n',
  )
})

test('headers that Connection names end here too', () => {
  const { forwarded } = readHeaders(['X-Hop', '1', 'Connection', 'close, X-Hop', 'X-Stay', '2'])
  assert.equal(forwarded, 'X-Stay: 2\r\n')
})

test('what is needed of them', () => {
  const headers = readHeaders([
    ...['authorization', 'Basic a', 'Authorization', 'Basic b', 'X-ClickHouse-User', 'u'],
    // Node decodes headers as latin1: one character for each byte of UTF-8.
    ...['X-ClickHouse-Key', Buffer.from('пароль').toString('latin1'), 'User-Agent', 'curl'],
    ...['Content-Encoding', ' GZIP', 'Content-Length', '12', 'Expect', '100-Continue'],
  ])
  assert.equal(headers.authorization, 'Basic a')
  assert.equal(headers.user, 'u')
  assert.equal(headers.key, 'пароль')
  assert.equal(headers.userAgent, 'curl')
  assert.equal(headers.contentEncoding, 'gzip')
  assert.equal(headers.contentLength, 12)
  assert.equal(headers.isChunked, false)
  assert.equal(headers.expectsContinue, true)
  assert.equal(readHeaders(['Transfer-Encoding', 'chunked']).isChunked, true)
})
