import assert from 'node:assert/strict'
import type { Ends } from '../support/server.ts'
import { processesOf, startWarehouse } from '../support/warehouse.ts'
import { createKiller } from './killer.ts'
import { createLoad } from './load.ts'
import type { Tell } from './main.ts'

/**
 * A service under mixed load whose processes, including the server, are killed again and again. In the end
 * everything acknowledged is there, once and whole, and also in what a backup restores.
 */
export async function warehouseStorm(ends: Ends, rounds: number, tell: Tell = () => 'go on'): Promise<void> {
  const { create, server, api } = await startWarehouse(ends, { tier: 'SCALE' })
  const primary = await create({ name: 'storm', numReplicas: 2 })
  const { dataWarehouseId } = (await api('GET', `/services/${primary.id}`)).body.result
  const secondary = await create({ name: 'beside', dataWarehouseId, numReplicas: 1 })
  const load = await createLoad(primary, secondary)
  const killer = createKiller({ server, primaryId: primary.id })
  let backups = 0
  for (let round = 1; round <= rounds; round++) {
    const victim = await killer.strike()
    await load.goesOn()
    if (round % 20 === 0) {
      const answer = await api('POST', `/services/${primary.id}/backups`).catch(() => null)
      if (answer?.status === 200) backups += 1
    }
    if (tell(round, `the last kill was of ${victim}; ${load.summary()}`) === 'stop') break
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
}

interface Backup {
  id: string
  status: string
}
