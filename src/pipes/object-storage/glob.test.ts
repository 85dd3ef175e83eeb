import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob } from './glob.ts'

const cases: [pattern: string, prefix: string, matching: string[], others: string[]][] = [
  ['a/b.csv', 'a/b.csv', ['a/b.csv'], ['a/bXcsv', 'a/b.csv.gz', 'A/b.csv']],
  ['a/*.csv', 'a/', ['a/.csv', 'a/1.csv', 'a/ü x.csv'], ['a/b/1.csv', 'a/1.csv.gz', 'b/1.csv']],
  ['a/?.csv', 'a/', ['a/1.csv', 'a/?.csv'], ['a/12.csv', 'a//.csv', 'a/.csv']],
  ['a/**', 'a/', ['a/', 'a/1', 'a/b/c/1.csv'], ['a', 'b/1']],
  ['a/**/c.csv', 'a/', ['a/c.csv', 'a/b/c.csv', 'a/b/b/c.csv'], ['a/xc.csv', 'a/b/xc.csv']],
  ['a/**.csv', 'a/', ['a/1.csv', 'a/b/1.csv'], ['a/1.json']],
  ['**', '', ['a', 'a/b', 'a\nb'], []],
  ['2026-*/x+y(1)[z].csv', '2026-', ['2026-10/x+y(1)[z].csv'], ['2026-10/xxy1z.csv']],
]

for (const [pattern, prefix, matching, others] of cases) {
  test(`the names that ${pattern} matches`, () => {
    const glob = compileGlob(pattern)
    assert.equal(glob.prefix, prefix)
    for (const name of matching) assert.ok(glob.matches(name), name)
    for (const name of others) assert.ok(!glob.matches(name), name)
  })
}
