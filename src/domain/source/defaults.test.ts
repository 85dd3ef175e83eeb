import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultAliases, defaultImplicit, defaultMetric, defaultTimestamp, proposedKind } from './defaults.ts'
import type { TableDescription } from './types.ts'

/** `name Type` for each column. */
const tableOf = (columns: string[], sortingKey: string[] = []): TableDescription => ({
  ...{ database: 'd', table: 't', sortingKey },
  columns: columns.map((text) => {
    const at = text.indexOf(' ')
    return { name: text.slice(0, at), type: text.slice(at + 1) }
  }),
})

describe('the timestamp', () => {
  const cases: [string, string[], string[], string | null][] = [
    [
      'of the sorting key, in its order',
      ['a DateTime', 'b DateTime64(3)', 'c DateTime'],
      ['x', 'c', 'b'],
      'c',
    ],
    ['of the table without one in the key', ['x Int8', 'a DateTime', 'b DateTime'], ['x'], 'a'],
    ['with a zone, or nullable', ["a Nullable(DateTime64(9, 'UTC'))"], [], 'a'],
    ['in a low cardinality', ['a LowCardinality(DateTime)'], [], 'a'],
    ['is a DateTime before a Date of the key', ['d Date', 'a DateTime'], ['d'], 'a'],
    ['is the first Date when there is no DateTime', ['x Int8', 'd Date32', 'e Date'], ['e'], 'd'],
    ['is none without either', ['x Int8', 'y String', 'z Array(DateTime)'], [], null],
  ]
  for (const [title, columns, key, wanted] of cases)
    test(title, () => assert.equal(defaultTimestamp(tableOf(columns, key)), wanted))
})

describe('the implicit column', () => {
  const cases: [string, string[], string][] = [
    ['body before message', ['message String', 'Body String'], 'Body'],
    ['in this order', ['text String', 'log String', 'MSG LowCardinality(String)'], 'MSG'],
    ['only text', ['body Int8', 'text Nullable(String)'], 'text'],
    ['none', ['bodies String'], ''],
  ]
  for (const [title, columns, wanted] of cases)
    test(title, () => assert.equal(defaultImplicit(tableOf(columns)), wanted))
})

describe('aliases', () => {
  const cases: [string, string[], string, Record<string, string>][] = [
    [
      'by well-known names',
      ['SeverityText String', 'service_name String'],
      '',
      { level: 'SeverityText', service: 'service_name' },
    ],
    ['the first candidate wins', ['log_level String', 'severity String'], '', { level: 'severity' }],
    [
      'a column of that name needs none',
      ['level String', 'Severity String', 'App String'],
      '',
      { service: 'App' },
    ],
    [
      'another case is another name',
      ['Level String', 'HOST_NAME String'],
      '',
      { level: 'Level', host: 'HOST_NAME' },
    ],
    ['durations', ['Duration_MS UInt64'], '', { duration: 'Duration_MS' }],
    ['message is the implicit column', ['body String'], 'body', { message: 'body' }],
    ['unless a column has that name', ['message String', 'body String'], 'body', {}],
  ]
  for (const [title, columns, implicit, wanted] of cases)
    test(title, () => assert.deepEqual(defaultAliases(tableOf(columns), implicit), wanted))
})

test('a metrics table is known by its names and values', () => {
  const gauge = tableOf([
    'MetricName String',
    'Value Float64',
    'Attributes Map(String, String)',
    'TimeUnix DateTime64(9)',
  ])
  assert.deepEqual(defaultMetric(gauge), {
    ...{ name: 'MetricName', value: 'Value', labels: ['Attributes'], temporality: 'cumulative' },
  })
  assert.equal(proposedKind(gauge), 'metrics')
  assert.equal(proposedKind(tableOf(['Value Float64', 'ts DateTime'])), 'events')
})
