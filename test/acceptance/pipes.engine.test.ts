import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filePipe, untilPipe } from '../support/pipes/file-pipe.ts'
import { temporaryFolder } from '../support/store-rig.ts'
import { startWarehouse } from '../support/warehouse.ts'

test('a pipe loads files into a table of its own making, each row once, and says what it did', async (t) => {
  const folder = temporaryFolder(t)
  const { create, api, server } = await startWarehouse(t, { env: { GRANARY_PIPE_FILE_ROOTS: folder } })
  const service = await create({ name: 'orders' })
  mkdirSync(join(folder, 'in'))
  for (let file = 0; file < 5; file++) {
    const rows = Array.from({ length: 1_000 }, (_, n) => `{"id":${file * 1_000 + n},"amount":${n}.5}\n`)
    writeFileSync(join(folder, 'in', `${file}.json`), rows.join(''))
  }
  const made = await api('POST', `/services/${service.id}/pipes`, filePipe(`file://${folder}/in/*.json`))
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const done = await untilPipe(api, made.body.result, ({ state }) => state === 'Completed')
  assert.deepEqual(
    [done.stats.rows, done.stats.rejected, done.stats.delivery, done.stats.lastError],
    [5_000, 0, 'exactly_once', null],
  )
  const { text } = await service.sql('SELECT count(), uniqExact(id), sum(amount) FROM default.orders')
  assert.equal(text, `5000\t5000\t${(5 * (999 * 1_000)) / 2 + 2_500}\n`)

  // A killed server finds the pipe as it was.
  await server.kill()
  await server.restart()
  const after = await untilPipe(api, done, ({ state }) => state === 'Completed')
  assert.equal((await service.sql('SELECT count() FROM default.orders')).text, '5000\n')
  const gone = await api('DELETE', `/services/${service.id}/pipes/${after.id}`)
  assert.equal(gone.status, 200)
})
