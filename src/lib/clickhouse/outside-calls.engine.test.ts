import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestReplica } from '../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../engine/embedded/runtime.ts'
import { advance, createLexer } from './lexer.ts'
import { outsideCall } from './outside-calls.ts'

/** Table functions that read what the service itself has, or make their rows up. */
const inside = `
  SQLStandardValues dictionary eval format fuzzJSON fuzzQuery generateRandom generateSeries generate_series input loop
  merge mergeTreeAnalyzeIndexes mergeTreeAnalyzeIndexesUUID mergeTreeIndex mergeTreeProjection mergeTreeTextIndex null
  numbers numbers_mt primes prometheusQuery prometheusQueryRange timeSeriesData timeSeriesMetrics timeSeriesSamples
  timeSeriesSelector timeSeriesTags values view viewExplain viewIfPermitted zeros zeros_mt`.trim()

const called = (sql: string): string | null => {
  const lexer = createLexer(sql)
  advance(lexer)
  return outsideCall(lexer)
}

test('every table function of the engine is inside or outside', async () => {
  const runtime = resolveRuntime({ library: process.env['GRANARY_ENGINE_LIBRARY'] ?? '' })
  if ('missing' in runtime) throw new Error(runtime.missing)
  const replica = await startTestReplica(runtime)
  try {
    const names = await replica.text('SELECT name FROM system.table_functions FORMAT TSVRaw')
    const all = names.trim().split('\n')
    const isInside = new Set(inside.split(/\s+/))
    assert.deepEqual(
      all.filter((name) => (called(`${name}(1)`) === null) !== isInside.has(name)),
      [],
    )
  } finally {
    await replica.stop()
  }
})

test('a call is one in any spelling; a column of that name is none', () => {
  for (const sql of ['url(1)', 'URL (1)', '`url`(1)', '"ur\\x6c"(1)', 's3/**/(1)'])
    assert.ok(called(sql), sql)
  for (const sql of ['url', 'url = (1)', 'url.x', "'url'(1)", 'cutURL(1)', 'file'])
    assert.equal(called(sql), null, sql)
})
