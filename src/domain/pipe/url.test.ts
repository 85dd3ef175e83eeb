import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAddress, checkGlob, isHost } from './url.ts'

const rule = { schemes: ['https', 'http', 's3', 'gs'], instead: 'accessKey' }
const codes = (text: string) => checkAddress(['url'], text, rule).map((issue) => issue.code)

test('takes addresses with ports, globs and harmless parameters', () => {
  for (const text of [
    'https://bucket.s3.amazonaws.com/a/**/b-?.json',
    'http://127.0.0.1:9000/bucket/year=2024/*.csv',
    'http://[::1]:9000/bucket/key',
    's3://bucket/a@b.json',
    'gs://bucket/key with blanks.json',
    'https://host/key?versionId=3',
    'https://host/signature.json',
  ]) {
    assert.deepEqual(codes(text), [], text)
  }
})

test('refuses credentials in an address and says where they belong', () => {
  for (const text of [
    'https://user:password@host/key',
    'https://user@host/key',
    's3://AKID:secret@bucket/key',
    'https://host/key?X-Amz-Signature=abc',
    'https://host/key?a=1&X-Amz-Credential=abc',
    'https://host/key?x-amz-security-token=abc',
    'https://host/key?X-Amz-Sign%61ture=abc',
    'https://host/key?sv=2020&sig=abc',
    'https://host/key?X-Goog-Signature=abc',
    'https://host/key?GoogleAccessId=abc&Signature=abc',
    'https://host/key?AWSAccessKeyId=abc',
    'https://host?access_token=abc',
    'https://host/key#sig=abc',
  ]) {
    const issues = checkAddress(['url'], text, rule)
    assert.deepEqual(
      issues.map((issue) => issue.code),
      ['not_allowed'],
      text,
    )
    assert.match(issues[0]?.message ?? '', /accessKey/)
    assert.doesNotMatch(issues[0]?.message ?? '', /abc|password@/)
  }
})

test('refuses what is no address of the expected schemes', () => {
  for (const text of [
    'bucket/key',
    'ftp://host/key',
    'https:/host',
    'https:user:pass@host',
    'https://',
    'x',
  ]) {
    assert.deepEqual(codes(text), ['invalid_format'], text)
  }
  assert.deepEqual(codes('https://ho st/key'), ['invalid_format'])
  assert.deepEqual(codes('https://user:pa/ss@host/key'), ['invalid_format'])
  assert.deepEqual(codes('https://user\\@host/key'), ['invalid_format'])
  assert.deepEqual(codes('https://host/a\nb'), ['invalid_format'])
})

test('globs are ?, * and ** in the path only', () => {
  const wrong = [
    'https://h/{a,b}.json',
    'https://h/{1..9}.json',
    'https://h/[0-9].json',
    'https://*.h/a',
    'a/{b}',
  ]
  for (const text of wrong) assert.equal(checkGlob(['url'], text).length, 1, text)
  for (const text of ['https://h/**/a?.json', 'daily/*.parquet', 'http://[::1]:9000/b/*']) {
    assert.deepEqual(checkGlob(['url'], text), [], text)
  }
})

test('a host has at most a port', () => {
  for (const text of ['broker', 'broker:9092', '10.0.0.1:1', '[::1]:65535', 'a.b-c_d:9092']) {
    assert.ok(isHost(text), text)
  }
  for (const text of ['', 'a:b', 'a:0', 'a:65536', 'user@a', 'tcp://a:1', 'a/b', 'a b', '::1']) {
    assert.equal(isHost(text), false, text)
  }
})
