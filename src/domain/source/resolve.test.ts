import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from '../../../test/support/store-records.ts'
import { resolveSource } from './resolve.ts'

const logs = sourceOf({ name: 'shop logs', isDefault: true })
const spans = sourceOf({ name: 'Shop spans', isDefault: false })
const gauges = sourceOf({ name: 'gauges', kind: 'metrics', isDefault: false })
const sources = [logs, spans, gauges]

const found: [string, Parameters<typeof resolveSource>[1], string][] = [
  ['the default of a kind', { dataSource: 'events' }, logs.id],
  ['an id', { dataSource: spans.id }, spans.id],
  ['an id in upper case', { dataSource: spans.id.toUpperCase() }, spans.id],
  ['a name', { dataSource: 'shop logs' }, logs.id],
  ['a name whatever the case', { dataSource: 'SHOP SPANS' }, spans.id],
  ['sourceId before dataSource', { sourceId: gauges.id, dataSource: 'events' }, gauges.id],
]
for (const [title, reference, id] of found) {
  test(`a source is found by ${title}`, () => {
    const result = resolveSource(sources, reference)
    assert.equal('source' in result && result.source.id, id)
  })
}

const missing: [string, Parameters<typeof resolveSource>[1], string, string[]][] = [
  ['a name that is nearly one', { dataSource: 'shop log' }, 'dataSource', ['shop logs']],
  ['a kind without a default', { dataSource: 'metrics' }, 'dataSource', ['gauges']],
  ['a kind that is nearly one', { dataSource: 'event' }, 'dataSource', ['events']],
  ['a name as sourceId', { sourceId: 'shop logs', dataSource: 'events' }, 'sourceId', ['shop logs']],
]
for (const [title, reference, field, suggestions] of missing) {
  test(`a source is not found by ${title}`, () => {
    const result = resolveSource(sources, reference)
    assert.ok('issue' in result)
    assert.deepEqual([result.issue.path, result.issue.code], [[field], 'not_found'])
    assert.deepEqual(result.issue.suggestions, suggestions)
  })
}
