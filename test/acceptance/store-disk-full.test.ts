import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServer } from '../support/server.ts'
import { makeSmallDisk } from '../support/small-disk.ts'

const disk = makeSmallDisk(6)

test('under a full store changes answer 507 and leave nothing behind, reads go on, and then changes again', {
  skip: 'refused' in disk ? disk.refused : false,
}, async (t) => {
  if ('refused' in disk) return
  const server = await startServer({ dataDir: join(disk.path, 'data') })
  t.after(async () => {
    await server.kill()
    disk.remove()
  })
  const root = `/v1/organizations/${server.credentials.organizationId}`
  const create = (name: string) => server.api('POST', `${root}/services`, { name })
  const names = async () =>
    (await server.api('GET', `${root}/services`)).body.result.map(({ name }: { name: string }) => name)
  assert.equal((await create('before')).status, 200)

  disk.fill()
  // The first writes may still fit into the log.
  const kept = ['before']
  let refused = 0
  for (let n = 0; refused < 20; n++) {
    const answers = await Promise.all([1, 2, 3].map((part) => create(`full ${n} ${part}`)))
    for (const [part, { status, body }] of answers.entries()) {
      if (status === 200) kept.push(`full ${n} ${part + 1}`)
      else {
        assert.deepEqual([status, body.code], [507, 'INSUFFICIENT_STORAGE'])
        refused += 1
      }
    }
  }
  assert.deepEqual((await names()).sort(), kept.sort())

  disk.free()
  assert.equal((await create('after')).status, 200)
  assert.deepEqual((await names()).sort(), [...kept, 'after'].sort())
  await server.kill()
  await server.restart()
  assert.deepEqual((await names()).sort(), [...kept, 'after'].sort())
})
