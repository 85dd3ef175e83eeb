import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'
import { type CommandDefinition, type GroupDefinition, isGroup } from './command.ts'
import { tree } from './tree.ts'

interface Leaf {
  path: string[]
  definition: CommandDefinition
}

function leaves(items: readonly (CommandDefinition | GroupDefinition)[], path: string[] = []): Leaf[] {
  return items.flatMap((item) => {
    const here = [...path, item.name]
    return isGroup(item) ? leaves(item.commands, here) : [{ path: here, definition: item }]
  })
}

test('every command has help with what it does, its options, the global ones and its examples', async () => {
  for (const { path, definition } of leaves(tree)) {
    const { code, stdout, stderr } = await granary('', [...path, '--help'], { env: {} })
    assert.deepEqual([code, stderr], [0, ''])
    assert.ok(stdout.includes(`Usage: granary ${path.join(' ')}`))
    assert.match(stdout, /Global Options:\n +--json/)
    assert.ok(definition.examples.length > 0)
    for (const example of definition.examples) {
      assert.ok(stdout.includes(`$ ${example}`))
      assert.ok(example.includes(`granary ${path.join(' ')}`), example)
    }
    for (const option of definition.options ?? []) assert.ok(stdout.includes(option.flags), option.flags)
  }
})

test('the reference names every command and every option', () => {
  const reference = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  for (const { path, definition } of leaves(tree)) {
    const heading = `granary ${path.join(' ')}`
    assert.ok(reference.includes(`\`${heading}`), heading)
    for (const { long } of definition.options ?? [])
      assert.ok(reference.includes(long ?? ''), `${heading} ${long}`)
  }
})

test('the program itself explains its exit codes', async () => {
  const { code, stdout } = await granary('', ['--help'], { env: {} })
  assert.equal(code, 0)
  assert.match(stdout, /Exit codes:/)
})
