import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cert, key } from '../../../test/support/certificate.ts'
import { startCuttable } from '../../../test/support/cuttable.ts'
import { startTestReplica } from '../../../test/support/test-replica.ts'
import { testUpstream } from '../../../test/support/upstream-contract.ts'
import { startWarehouse } from '../../../test/support/warehouse.ts'
import { resolveRuntime } from '../../engine/embedded/runtime.ts'
import { createClickHouseUpstream } from './clickhouse-upstream.ts'
import { createReplicaUpstream } from './replica-upstream.ts'

const runtime = resolveRuntime({ library: process.env.GRANARY_ENGINE_LIBRARY ?? '' })

testUpstream('a replica of ours', async () => {
  if ('missing' in runtime) throw new Error(runtime.missing)
  const replica = await startTestReplica(runtime)
  const way = await startCuttable({ path: replica.spec.socketPath })
  return {
    address: `http://127.0.0.1:${way.port}`,
    openUpstream: createReplicaUpstream,
    cut: way.cut,
    async close() {
      await way.close()
      await replica.stop()
    },
  }
})

// A Granary endpoint stands in for the server. All its users may write: only the adapter limits `reader`.
testUpstream('a plain ClickHouse server, over TLS', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'granary-upstream-'))
  const ends: (() => unknown)[] = []
  for (const [name, text] of Object.entries({ cert, key })) writeFileSync(join(folder, name), text)
  const warehouse = await startWarehouse(
    { after: (end) => void ends.push(end as () => unknown) },
    {
      env: {
        GRANARY_ENDPOINT_CERTIFICATE: join(folder, 'cert'),
        GRANARY_ENDPOINT_KEY: join(folder, 'key'),
      },
    },
  )
  const service = await warehouse.create()
  const passwords = new Map([['default', service.password]])
  for (const name of ['other', 'reader']) {
    const { status, body } = await warehouse.api('POST', `/services/${service.id}/users`, { name })
    assert.equal(status, 200)
    passwords.set(name, body.result.password)
  }
  const { hostname, port } = new URL(service.url)
  const way = await startCuttable({ host: hostname, port: Number(port) })
  return {
    address: `https://127.0.0.1:${way.port}`,
    openUpstream: (url, clock) =>
      createClickHouseUpstream(
        {
          url,
          tls: { ca: cert, serverName: 'localhost' },
          credentialsOf: (user) => ({ user, password: passwords.get(user) ?? '' }),
        },
        clock,
      ),
    cut: way.cut,
    async close() {
      await way.close()
      for (const end of ends.reverse()) await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})
