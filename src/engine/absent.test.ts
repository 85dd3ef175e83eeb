import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTableName } from '../lib/clickhouse/identifiers.ts'
import { createAbsentEngine } from './absent.ts'
import { embeddedDialect } from './embedded/sql-dialect.ts'

test('a database gets exactly the name that was asked for, whatever is in it', () => {
  for (const { createDatabase } of [createAbsentEngine().sql(), embeddedDialect]) {
    for (const name of ['shop', 'a`b', 'a\\', '\\`', 'a\nb']) {
      const quoted = /^CREATE DATABASE IF NOT EXISTS (.*?)( ENGINE = Atomic)?$/s.exec(createDatabase(name))
      assert.deepEqual(parseTableName(quoted?.[1] ?? ''), { database: null, table: name })
    }
  }
})
