import { testStoreBackups } from './store-contract-backups.ts'
import { testStoreBuckets } from './store-contract-buckets.ts'
import { testStoreDashboards } from './store-contract-dashboards.ts'
import { testStoreDriver } from './store-contract-driver.ts'
import { testStoreFences } from './store-contract-fences.ts'
import { testStoreJournal } from './store-contract-journal.ts'
import { testStoreOpening } from './store-contract-opening.ts'
import { testStorePorts } from './store-contract-ports.ts'
import { testStoreRecords } from './store-contract-records.ts'
import { testStoreServices } from './store-contract-services.ts'
import { testStoreSessions } from './store-contract-sessions.ts'
import { testStoreTransactions } from './store-contract-transactions.ts'
import { testStoreUsers } from './store-contract-users.ts'
import { testStoreWork } from './store-contract-work.ts'
import type { CreateRig } from './store-rig.ts'

/** What every store must do, on any database. Registers the tests. */
export function testStore(createRig: CreateRig): void {
  testStoreRecords(createRig)
  testStoreServices(createRig)
  testStoreUsers(createRig)
  testStoreSessions(createRig)
  testStoreBackups(createRig)
  testStoreBuckets(createRig)
  testStoreDashboards(createRig)
  testStoreTransactions(createRig)
  testStorePorts(createRig)
  testStoreFences(createRig)
  testStoreWork(createRig)
  testStoreJournal(createRig)
  testStoreDriver(createRig)
  testStoreOpening(createRig)
}
