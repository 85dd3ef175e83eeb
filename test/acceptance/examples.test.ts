import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('every example is taken as it is', async () => {
  const files = globSync('../../examples/*.json', { cwd: fileURLToPath(new URL('.', import.meta.url)) })
  assert.ok(files.length >= 2)
  for (const file of files) {
    const body: unknown = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
    const operation = file.includes('dashboard') ? 'dashboards.create' : 'pipes.create'
    assert.ok(resultOf(await world.call(operation, { body })).id, file)
  }
})
