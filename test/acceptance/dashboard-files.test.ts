import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { createFileSync } from '../../src/dashboard-files/sync.ts'
import { exportedIssues } from '../../src/http/import-dashboard.ts'
import { createWorld, resultOf, type World } from '../support/walk.ts'

const directory = mkdtempSync(join(tmpdir(), 'granary-boards-'))
let world: World
let sync: () => Promise<void>
const warnings: unknown[] = []

before(async () => {
  world = await createWorld({ empty: true, env: { GRANARY_DASHBOARDS_DIR: directory } })
})
after(async () => {
  await world.close()
  rmSync(directory, { recursive: true, force: true })
})
beforeEach(() => {
  const nothing = () => {}
  const log = {
    debug: nothing,
    info: nothing,
    error: nothing,
    warn: (detail: object) => void warnings.push(detail),
  }
  const { store, clock, main } = world
  warnings.length = 0
  sync = createFileSync({
    directory,
    store,
    clock,
    log,
    check: exportedIssues,
    organizationId: async () => main.organizationId,
  })
})

const send = (method: string, path: string, body?: unknown) =>
  world.raw(method, `/api/v2/dashboards${path}`, { body, authorization: world.main.dashboard })
const listed = async () => resultOf(await send('GET', ''))
const tile = { name: 'T', x: 0, y: 0, w: 1, h: 1, series: [{ type: 'time' }] }
/** As an editor writes: the file is replaced, so that its times differ whatever the clock of the disk. */
const write = (name: string, content: unknown) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(join(directory, '.new'), text)
  renameSync(join(directory, '.new'), join(directory, name))
}

test('a file is a dashboard, with the same ids as long as it has its name', async () => {
  write('shop.json', { name: 'Shop', tiles: [tile, { ...tile, x: 1 }] })
  write('notes.txt', 'nothing')
  await sync()
  const [shop, ...others] = await listed()
  assert.deepEqual([shop.name, others], ['Shop', []])
  assert.match(shop.id, /^[0-9a-f]{24}$/)
  assert.equal(new Set(shop.tiles.map(({ id }: { id: string }) => id)).size, 2)

  write('shop.json', { ...shop, id: 'f'.repeat(24), name: 'Shop 2' })
  await sync()
  assert.deepEqual(await listed(), [{ ...shop, name: 'Shop 2' }])
  assert.equal((await send('GET', `/${shop.id}`)).headers.get('etag'), '"2"')
  await sync()
  assert.equal((await send('GET', `/${shop.id}`)).headers.get('etag'), '"2"')
  const [version] = resultOf(await send('GET', `/${shop.id}/versions`))
  assert.equal(version.savedBy, 'file shop.json')

  rmSync(join(directory, 'shop.json'))
  await sync()
  assert.deepEqual(await listed(), [])
  write('shop.json', { name: 'Shop', tiles: [tile, { ...tile, x: 1 }] })
  await sync()
  assert.deepEqual(await listed(), [shop])
})

test('it cannot be changed otherwise', async () => {
  const [shop] = await listed()
  for (const answer of [
    await send('PUT', `/${shop.id}`, { name: 'Mine' }),
    await send('DELETE', `/${shop.id}`),
    await send('POST', `/${shop.id}/versions/1/restore`),
  ]) {
    assert.equal(answer.status, 409, answer.text)
    assert.match(answer.body.message, /shop\.json/)
  }
  assert.deepEqual(await listed(), [shop])
})

test('a file that is wrong is told once and leaves the dashboard as it was', async () => {
  await sync()
  const before = await listed()
  const wrong: [unknown, RegExp][] = [
    ['{"name":', /JSON/],
    [{ name: '' }, /name/],
    [{ name: 'x', tiles: [{ ...tile, x: 20, w: 5 }] }, /tiles\[0\]\.w/],
    [{ name: 'x', colour: 1 }, /colour/],
  ]
  for (const [content, message] of wrong) {
    warnings.length = 0
    write('shop.json', content)
    await sync()
    await sync()
    assert.equal(warnings.length, 1)
    const [{ file, why }] = warnings as [{ file: string; why: string }]
    assert.equal(file, 'shop.json')
    assert.match(why, message)
    assert.deepEqual(await listed(), before)
  }
})

test('a folder that is gone removes nothing', async () => {
  const before = await listed()
  renameSync(directory, `${directory}-away`)
  await sync()
  await sync()
  assert.equal(warnings.length, 1)
  renameSync(`${directory}-away`, directory)
  assert.deepEqual(await listed(), before)
})
