import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs, startWarehouse } from '../support/warehouse.ts'

test('a service is a warehouse: it takes data, keeps it over stop and start, and goes away with it', {
  timeout: 5 * patienceMs,
}, async (t) => {
  const { create, api, until, server } = await startWarehouse(t)
  const service = await create()
  const { sql, id } = service

  await t.test('what is written is read', async () => {
    assert.equal(
      (await sql('CREATE TABLE events (id UInt64, name String) ENGINE = MergeTree ORDER BY id')).text,
      '',
    )
    assert.equal((await sql("INSERT INTO events VALUES (1, 'one'), (2, 'two')")).status, 200)
    const { status, text, headers } = await sql('SELECT * FROM events ORDER BY id')
    assert.deepEqual([status, text], [200, '1\tone\n2\ttwo\n'])
    assert.equal(headers.get('x-clickhouse-format'), 'TabSeparated')
    assert.match(headers.get('x-clickhouse-query-id') ?? '', /./)
  })

  await t.test('the wrong password and the unknown user are told nothing', async () => {
    for (const who of [{ password: 'wrong' }, { user: 'nobody' }]) {
      const { status, text, headers } = await sql('SELECT 1', who)
      assert.ok(status === 401 || status === 403, `${status}`)
      assert.match(text, /^Code: 516\. DB::Exception: .*AUTHENTICATION_FAILED/)
      assert.equal(headers.get('x-clickhouse-exception-code'), '516')
    }
  })

  await t.test('further users come in with their roles', async () => {
    const make = async (name: string, role: string) => {
      const made = await api('POST', `/services/${id}/users`, { name, role })
      assert.equal(made.status, 200, JSON.stringify(made.body))
      return { user: name, password: made.body.result.password as string }
    }
    const reader = await make('reader', 'readOnly')
    const writer = await make('writer', 'readWrite')
    assert.equal((await sql('SELECT count() FROM events', reader)).text, '2\n')
    const refused = await sql("INSERT INTO events VALUES (3, 'three')", reader)
    assert.match(refused.text, /^Code: 164\. DB::Exception: .*READONLY/)
    assert.equal((await sql("INSERT INTO events VALUES (3, 'three')", writer)).status, 200)
    assert.equal((await sql('SELECT count() FROM events', writer)).text, '3\n')
  })

  await t.test('what its replicas use is shown', async () => {
    // Replicas are observed only now and then.
    const { resources, dbVersion, currentScaling } = await until(id, 'queries counted', (service) => {
      return service.resources.replicas[0]?.queries >= 5
    })
    assert.equal(resources.replicas.length, 1)
    assert.equal(resources.replicas[0].role, 'writer')
    assert.ok(resources.replicas[0].memoryBytes > 0)
    assert.match(dbVersion, /^\d+\.\d+/)
    assert.equal(currentScaling.numReplicas, 1)
  })

  await t.test('a service with an access list refuses others before it asks who they are', async () => {
    await api('PATCH', `/services/${id}`, { ipAccessList: [{ source: '10.1.2.3' }] })
    assert.equal((await sql('SELECT 1')).status, 403)
    await api('PATCH', `/services/${id}`, { ipAccessList: [{ source: '127.0.0.1' }] })
    assert.equal((await sql('SELECT 1')).text, '1\n')
  })

  await t.test('a stopped one says so, and comes back with its data', async () => {
    await api('PATCH', `/services/${id}/state`, { command: 'stop' })
    await until(id, 'stop', ({ state }) => state === 'stopped')
    const { status, text } = await sql('SELECT 1')
    assert.equal(status, 503)
    assert.match(text, /stopped/)
    await api('PATCH', `/services/${id}/state`, { command: 'start' })
    await until(id, 'start', ({ state }) => state === 'running')
    assert.equal((await sql('SELECT count(), sum(id) FROM events')).text, '3\t6\n')
  })

  await t.test('a new start of the server serves what was there', async () => {
    await server.kill()
    await server.restart()
    await until(id, 'after the crash', ({ state }) => state === 'running')
    assert.equal((await sql('SELECT count() FROM events')).text, '3\n')
  })

  await t.test('deleted, nothing answers', async () => {
    await api('PATCH', `/services/${id}/state`, { command: 'stop' })
    await until(id, 'stop', ({ state }) => state === 'stopped')
    assert.equal((await api('DELETE', `/services/${id}`)).status, 200)
    await until(id, 'delete', (answer) => answer === undefined)
    await assert.rejects(sql('SELECT 1'))
  })
})
