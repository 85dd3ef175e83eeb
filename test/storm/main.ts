// npm run storm [-- --minutes 30]: a service under mixed load whose processes, the server's own included, are killed
// again and again. In the end everything that was acknowledged must be there, once and whole.
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { processesOf, startWarehouse } from '../support/warehouse.ts'
import { createKiller } from './killer.ts'
import { createLoad } from './load.ts'

const usage = 'npm run storm [-- --minutes <how long, 10 by default>]'
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, help: { type: 'boolean', default: false } },
})
const minutes = Number(values.minutes)
if (values.help || !(minutes > 0)) {
  console.log(usage)
  process.exit(values.help ? 0 : 2)
}

const ends: (() => unknown)[] = []
const { create, server, api } = await startWarehouse(
  { after: (end) => void ends.push(end as () => unknown) },
  { tier: 'SCALE' },
)
try {
  const primary = await create({ name: 'storm', numReplicas: 2 })
  const { dataWarehouseId } = (await api('GET', `/services/${primary.id}`)).body.result
  const secondary = await create({ name: 'beside', dataWarehouseId, numReplicas: 1 })
  const load = await createLoad(primary, secondary)
  const killer = createKiller({ server, primaryId: primary.id })
  const untilMs = Date.now() + minutes * 60_000
  console.log(`a storm of ${minutes} minutes begins`)
  let backups = 0
  for (let strike = 1; Date.now() < untilMs; strike++) {
    const victim = await killer.strike()
    await load.goesOn()
    if (strike % 20 === 0) {
      const answer = await api('POST', `/services/${primary.id}/backups`).catch(() => null)
      if (answer?.status === 200) backups += 1
    }
    if (strike % 10 === 0) console.log(`${strike} kills, the last of ${victim}; ${load.summary()}`)
  }
  await load.stop()
  await load.verify()
  const kept = (await api('GET', `/services/${primary.id}/backups`)).body.result as Backup[]
  const good = kept.find(({ status }) => status === 'done')
  if (good) {
    const restored = await create({ name: 'restored', backupId: good.id, numReplicas: 2 })
    await load.verifyWhole(restored)
  }
  await server.stop()
  assert.deepEqual(await processesOf(server.dataDir), [], 'processes are left over')
  console.log(
    `${killer.summary()}; ${load.summary()}; ${backups} backups, ${good ? 'the newest' : 'none'} restored`,
  )
  console.log('Nothing was lost, doubled or torn.')
} finally {
  for (const end of ends) await end()
}

interface Backup {
  id: string
  status: string
}
