import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { startTestReplica, type TestReplica } from '../../../../test/support/test-replica.ts'
import { resolveRuntime } from '../runtime.ts'
import { neverGranted, withheld } from './grants.ts'
import * as names from './names.ts'
import { fixedSettings, sqlSettings } from './settings.ts'

/**
 * Every entry of the engine's own lists has been reviewed: an engine version that adds an entry fails here until the
 * entry is put either into a file of `reviewed/`, which allows it, or into one of the lists that refuse it.
 */
const runtime = resolveRuntime()
if ('missing' in runtime) throw new Error(runtime.missing)

function reviewed(name: string, separator = /\s+/): string[] {
  const text = readFileSync(new URL(`./reviewed/${name}.txt`, import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => !line.startsWith('#'))
  return lines.join('\n').split(separator).filter(Boolean)
}

const lower = (list: string[]): string[] => list.map((name) => name.toLowerCase())

const lists: { what: string; query: string; known: Iterable<string>; isLower?: true }[] = [
  {
    what: 'settings',
    query: 'SELECT name FROM system.settings',
    known: [...reviewed('settings'), ...fixedSettings.keys(), ...sqlSettings],
  },
  {
    what: 'settings of tables',
    query: 'SELECT name FROM system.merge_tree_settings',
    known: reviewed('merge-tree-settings'),
  },
  {
    what: 'table functions',
    query: 'SELECT name FROM system.table_functions',
    known: [...lower(reviewed('table-functions')), ...names.refusedTableFunctions],
    isLower: true,
  },
  {
    what: 'functions',
    query: "SELECT name FROM system.functions WHERE origin = 'System'",
    known: [...lower(reviewed('functions')), ...names.refusedFunctions],
    isLower: true,
  },
  {
    what: 'engines of tables and databases',
    query: 'SELECT name FROM system.table_engines UNION ALL SELECT name FROM system.database_engines',
    known: [...names.engines, ...names.refusedEngines],
    isLower: true,
  },
  {
    what: 'dictionary sources',
    query: 'SELECT name FROM system.dictionary_sources',
    known: [...names.sources, ...names.refusedSources],
  },
  {
    what: 'dictionary layouts',
    query: 'SELECT name FROM system.dictionary_layouts',
    known: [...names.layouts, ...names.refusedLayouts],
  },
  {
    what: 'rights',
    query: 'SELECT toString(privilege) FROM system.privileges',
    known: [...reviewed('privileges', /\n/), ...withheld, ...neverGranted],
  },
  { what: 'formats', query: 'SELECT name FROM system.formats', known: reviewed('formats') },
]

suite('the lists of the engine', () => {
  let replica: TestReplica
  before(async () => {
    replica = await startTestReplica(runtime)
  })
  after(() => replica.stop())

  for (const { what, query, known, isLower } of lists) {
    test(`all ${what} have been reviewed`, async () => {
      const found = (await replica.text(query)).split('\n').filter(Boolean)
      assert.ok(found.length > 5)
      const all = new Set(known)
      const strange = found.filter((name) => !all.has(isLower ? name.toLowerCase() : name))
      assert.deepEqual(strange, [], `${what} that nobody has reviewed`)
    })
  }

  test('the lists that the rules go by hold names that the engine has', async () => {
    const has = async (list: Iterable<string>, query: string) => {
      const found = new Set((await replica.text(query)).toLowerCase().split('\n'))
      assert.deepEqual(
        [...list].filter((name) => !found.has(name)),
        [],
      )
    }
    const { higherOrder, evaluatingFunctions, refusedFunctions } = names
    await has(
      [...higherOrder, ...evaluatingFunctions, ...refusedFunctions],
      'SELECT name FROM system.functions',
    )
    await has([...fixedSettings.keys(), ...sqlSettings], 'SELECT name FROM system.settings')
    await has(
      [...names.structureFirst, ...names.refusedTableFunctions],
      'SELECT name FROM system.table_functions',
    )
  })
})
