import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseForbiddenDefinition } from './definition.ts'

const of = (engine: string): string => `CREATE TABLE d.t (\`a\` String) ${engine}`

test('a table over URLs in a backup has an address that is no file', () => {
  for (const engine of [
    "ENGINE = URL('file:///etc/passwd', 'LineAsString')",
    "engine URL('FILE:///etc/passwd', 'LineAsString')",
    'ENGINE == "U\\x52L"(\'fi\\x6ce:///etc/passwd\')',
    "ENGINE = `url` /* */ (' file:///etc/passwd')",
    'ENGINE = URL($$file:///etc/passwd$$)',
    "ENGINE = URL(concat('fi', 'le:///etc/passwd'), 'CSV')",
    "ENGINE = URL('fi' || 'le:///etc/passwd', 'CSV')",
    "ENGINE = URL(collection, url = 'file:///etc/passwd')",
    "ENGINE = URL('http://a/', 'CSV', headers('a' = concat('x')))",
    "ENGINE = File('CSV', '/etc/passwd')",
  ]) {
    assert.throws(() => refuseForbiddenDefinition(of(engine)), /is not allowed in this warehouse/, engine)
  }
  for (const engine of [
    "ENGINE = URL('https://a.example/{1..9}.csv', 'CSV', 'gzip') SETTINGS http_max_tries = 2",
    "ENGINE = URL('http://a.example/x', 'CSV', headers('X-Key' = 'one'))",
    'ENGINE = URL(collection, format = CSV)',
    "ENGINE = MergeTree ORDER BY a COMMENT 'file:///etc/passwd'",
  ]) {
    refuseForbiddenDefinition(of(engine))
  }
  refuseForbiddenDefinition("CREATE VIEW d.v AS SELECT * FROM url('http://a.example/', 'CSV', 'a String')")
})
