import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { droppedParts } from './part-names.ts'

test('what is gone from the disk and not inside of another was dropped', () => {
  const dropped = (loaded: string[], onDisk: string[]) => droppedParts(loaded, onDisk)
  assert.deepEqual(dropped(['all_1_1_0', 'all_2_2_0'], ['all_1_2_1']), [])
  assert.deepEqual(dropped(['all_1_1_0'], ['all_1_1_0_2']), [], 'mutated')
  assert.deepEqual(dropped(['all_1_1_0_3'], ['all_1_1_0_2']), ['all_1_1_0_3'])
  assert.deepEqual(dropped(['all_1_3_1'], ['all_1_1_0', 'all_2_2_0']), ['all_1_3_1'])
  assert.deepEqual(dropped(['1_1_1_0'], ['2_1_9_9']), ['1_1_1_0'], 'another partition')
  assert.deepEqual(dropped(['all_1_1_0'], ['tmp_merge_all_1_2_1', 'delete_tmp_all_1_1_0', 'detached']), [
    'all_1_1_0',
  ])
  const patch = 'patch-9834becdf7e2e15ad7c410ffd6a5a63c-all_3_3_0_2'
  assert.deepEqual(dropped([patch, 'all_1_1_0'], ['all_1_1_1_2']), [patch])
  assert.deepEqual(dropped([patch], [patch]), [])
})

test('inserts, merges and mutations drop nothing; a dropped partition is found', () => {
  const step = fc.oneof(
    fc.constant({ do: 'insert' as const }),
    fc.record({ do: fc.constant('merge' as const), from: fc.nat(9), count: fc.integer({ min: 2, max: 4 }) }),
    fc.constant({ do: 'mutate' as const }),
    fc.constant({ do: 'clean' as const }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(40), (steps, lookAt) => {
      let block = 0
      let active: [first: number, last: number, level: number, mutation: number][] = []
      const onDisk = new Set<string>()
      const name = ([first, last, level, mutation]: (typeof active)[number]) =>
        `all_${first}_${last}_${level}${mutation ? `_${mutation}` : ''}`
      let loaded: string[] = []
      for (const [index, each] of steps.entries()) {
        if (index === lookAt) loaded = active.map(name)
        if (each.do === 'insert') active.push([++block, block, 0, 0])
        if (each.do === 'mutate') {
          block += 1
          active = active.map(([first, last, level]) => [first, last, level, block])
        }
        if (each.do === 'merge') {
          const merged = active.slice(each.from, each.from + each.count)
          const [first, last] = [merged[0], merged.at(-1)]
          if (!first || !last || merged.length < 2) continue
          const level = Math.max(...merged.map((part) => part[2])) + 1
          active.splice(each.from, merged.length, [
            first[0],
            last[1],
            level,
            Math.max(...merged.map((part) => part[3])),
          ])
        }
        for (const part of active) onDisk.add(name(part))
        if (each.do === 'clean')
          for (const part of onDisk) if (!active.map(name).includes(part)) onDisk.delete(part)
      }
      assert.deepEqual(droppedParts(loaded, onDisk), [])
      assert.deepEqual(droppedParts(loaded, []), loaded)
    }),
  )
})
