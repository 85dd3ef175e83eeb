import type { Activity } from '../domain/activity/types.ts'
import type { BackupBucket } from '../domain/backup/bucket.ts'
import type { BackupConfiguration, BackupRecord } from '../domain/backup/types.ts'
import type { DashboardRecord } from '../domain/dashboard/types.ts'
import type { KeyRecord } from '../domain/key/types.ts'
import type { Organization } from '../domain/organization/tiers.ts'
import type { PipeSecrets, PipeSpec, PipeStatus } from '../domain/pipe/types.ts'
import type { ServiceRecord, ServiceStatus } from '../domain/service/types.ts'
import type { UsageHistory } from '../domain/service/usage-history.ts'
import type { ServiceUserRecord } from '../domain/service/user.ts'
import type { Claim, WorkQueue } from '../lib/work-queue.ts'

/**
 * Everything that survives a restart, and the one place that writes it.
 *
 * Durable: intent (specs), the last known status with its reason, credentials as hashes, secrets sealed, the
 * audit trail, and the queue of work. A write is acknowledged only after its transaction is on the disk
 * (SQLite: WAL with synchronous=FULL; PostgreSQL: synchronous_commit as the server has it, on by default).
 * Not durable: what engines and pipes really do at this moment. It is observed again after a start, never
 * trusted from here.
 *
 * Intent and the work that follows from it are written in one transaction, so that no accepted request can be
 * forgotten. Status written by a loop carries its claim and is dropped when the lease has moved on.
 */
export interface Store extends Repositories {
  /** Runs `work` on one consistent view; all of its writes or none. Rows read through it are locked until the end. */
  transaction<T>(work: (tx: Repositories) => Promise<T>): Promise<T>
  /** Throws when the store cannot answer. */
  ping(): Promise<void>
  /** Calls back when another control plane wrote something; null = it may be anything. A hint: losing one costs only time. */
  onIntent(listener: (change: StoreChange | null) => void): () => void
  readonly work: WorkQueue
  /** Voids the leases of owners that are known to be dead; returns how many. */
  releaseDead(isDead: (owner: string) => boolean): Promise<number>
  close(): Promise<void>
}

/** `intent`: of the resource with this id; `login`: a user or a password of the service with this id; `key`: an API key. */
export type StoreChange = { kind: 'intent' | 'login' | 'key'; id: string }

export interface Repositories {
  meta: MetaRepository
  organizations: OrganizationRepository
  keys: KeyRepository
  services: ServiceRepository
  serviceUsers: ServiceUserRepository
  pipes: PipeRepository
  backups: BackupRepository
  backupBuckets: BackupBucketRepository
  dashboards: DashboardRepository
  activities: ActivityRepository
}

export interface MetaRepository {
  get(name: string): Promise<string | null>
  /** Keeps the first value that was ever set, and returns it. */
  setOnce(name: string, value: string): Promise<string>
}

export interface OrganizationRepository {
  /**
   * In a transaction, `share` keeps the organization's rules from changing until the end and `update` is for
   * those who change it. It is always locked before the services in it, so that nobody waits in a circle.
   */
  get(id: string, lock?: 'share' | 'update'): Promise<Organization | null>
  /** Does nothing when the organization exists. */
  ensure(organization: Organization): Promise<void>
  update(id: string, change: Partial<Pick<Organization, 'name' | 'tier' | 'paid'>>): Promise<void>
}

/** A key with what is needed to check a secret against it. */
export interface StoredKey extends KeyRecord {
  secretHash: string
}

export interface KeyRepository {
  byLookup(lookup: string): Promise<StoredKey | null>
  get(organizationId: string, id: string): Promise<KeyRecord | null>
  list(organizationId: string): Promise<KeyRecord[]>
  insert(key: KeyRecord, credential: { lookup: string; secretHash: string }): Promise<void>
  update(key: KeyRecord): Promise<void>
  setSecret(id: string, secretHash: string): Promise<void>
  remove(id: string, organizationId: string): Promise<void>
  touch(id: string, usedAtMs: number): Promise<void>
}

export interface Page {
  limit?: number
  /** Only what comes after this in the list's order. */
  after?: { atMs: number; id: string }
}

export interface ServiceRepository {
  get(organizationId: string, id: string): Promise<ServiceRecord | null>
  /** For loops, which know only the id. */
  find(id: string): Promise<ServiceRecord | null>
  /** Oldest first. */
  list(organizationId: string, page?: Page): Promise<ServiceRecord[]>
  primaryOf(organizationId: string, warehouseId: string): Promise<ServiceRecord | null>
  hasSecondaries(warehouseId: string): Promise<boolean>
  /** Every service's endpoint port, oldest first, in pages: what a gateway opens when it starts. */
  endpoints(page?: Page): Promise<{ id: string; port: number; home: string; createdAtMs: number }[]>
  passwordHash(id: string): Promise<string | null>
  /** Takes an endpoint port and counts the service to its organization. Null when no port is free. */
  insert(record: Omit<ServiceRecord, 'endpointPort'>, passwordHash: string): Promise<ServiceRecord | null>
  /** Raises the generation and makes the service due. */
  saveIntent(record: ServiceRecord): Promise<ServiceRecord>
  /** False when the lease is no longer ours, or a newer intent came meanwhile: then nothing is written. */
  saveStatus(seen: ServiceRecord, status: ServiceStatus, claim: Claim): Promise<boolean>
  setPassword(id: string, passwordHash: string, atMs: number): Promise<void>
  /** Which of these backups a service is still to be filled from. */
  restoring(backupIds: readonly string[]): Promise<string[]>
  /** Removes the service with its pipes and users, and gives its port back. */
  remove(record: ServiceRecord, claim: Claim): Promise<boolean>
  /** What it used of its memory; empty when nothing was recorded. */
  usageHistory(serviceId: string): Promise<UsageHistory>
  saveUsageHistory(serviceId: string, history: UsageHistory): Promise<void>
  backupConfiguration(serviceId: string): Promise<BackupConfiguration | null>
  saveBackupConfiguration(serviceId: string, configuration: BackupConfiguration): Promise<void>
}

/** A user with what is needed to check a password against it. */
export interface StoredServiceUser extends ServiceUserRecord {
  passwordHash: string
}

export interface ServiceUserRepository {
  find(serviceId: string, id: string): Promise<ServiceUserRecord | null>
  /** For whoever checks a password. Names are the same only in the same case. */
  findByName(serviceId: string, name: string): Promise<StoredServiceUser | null>
  /** Oldest first. */
  list(serviceId: string): Promise<ServiceUserRecord[]>
  count(serviceId: string): Promise<number>
  /** Rejects when the service has a user of that name. */
  insert(user: ServiceUserRecord, passwordHash: string): Promise<void>
  /** Writes the role, and the password where one is given; the name stays. */
  update(user: ServiceUserRecord, passwordHash?: string): Promise<void>
  remove(serviceId: string, id: string): Promise<void>
}

export interface PipeRecord {
  id: string
  organizationId: string
  serviceId: string
  generation: number
  spec: PipeSpec
  status: PipeStatus
  deleting: boolean
  createdAtMs: number
  updatedAtMs: number
}

export interface PipeRepository {
  get(serviceId: string, id: string): Promise<PipeRecord | null>
  find(id: string): Promise<PipeRecord | null>
  /** Oldest first. */
  list(serviceId: string, page?: Page): Promise<PipeRecord[]>
  secrets(id: string): Promise<PipeSecrets>
  insert(record: PipeRecord, secrets: PipeSecrets): Promise<void>
  saveIntent(record: PipeRecord, secrets?: PipeSecrets): Promise<PipeRecord>
  /** As for services. */
  saveStatus(seen: PipeRecord, status: PipeStatus, claim: Claim): Promise<boolean>
  remove(id: string, claim: Claim): Promise<boolean>
}

export interface BackupRepository {
  get(serviceId: string, id: string): Promise<BackupRecord | null>
  find(id: string): Promise<BackupRecord | null>
  /** Newest first. */
  list(serviceId: string, page?: Page): Promise<BackupRecord[]>
  /** The one that is in progress. Asked in a transaction that holds the service, it stays true until the end. */
  running(serviceId: string): Promise<BackupRecord | null>
  /** The one that began last of those that were read back whole; null = none of the newest was. */
  newestGood(serviceId: string): Promise<BackupRecord | null>
  /** Makes the backup due. */
  insert(record: BackupRecord): Promise<void>
  /** Writes what someone wants of it and makes it due; what a loop found meanwhile is then dropped. */
  saveIntent(record: BackupRecord): Promise<void>
  /**
   * Writes what a loop found. One that has ended makes the service's schedule due, and one that ended as an
   * error is due itself, until its files are gone.
   */
  save(record: BackupRecord, claim: Claim): Promise<boolean>
  remove(id: string, claim: Claim): Promise<boolean>
}

/** Buckets of the user's own. Their secrets are sealed, and read by nobody but who goes to the bucket. */
export interface BackupBucketRepository {
  /** Also earlier ones, and those of services that are gone. */
  find(id: string): Promise<BackupBucket | null>
  /** Where backups of the service go now; null = to no bucket. */
  current(serviceId: string): Promise<BackupBucket | null>
  findByUrl(serviceId: string, url: string): Promise<BackupBucket | null>
  /** '' = it is used without one. */
  secret(id: string): Promise<string>
  /** Writes all of it. If it is current, no other of the service stays so. */
  save(bucket: BackupBucket, secret: string): Promise<void>
  /** The service has no current bucket any more. */
  clear(serviceId: string): Promise<void>
  /** Forgets those, with their secrets, that are not current and that no backup on record lies in. */
  removeUnused(serviceId: string): Promise<void>
}

export interface DashboardRepository {
  get(organizationId: string, id: string): Promise<DashboardRecord | null>
  /** By name. */
  list(organizationId: string): Promise<DashboardRecord[]>
  insert(organizationId: string, record: DashboardRecord, atMs: number): Promise<void>
  replace(organizationId: string, record: DashboardRecord, atMs: number): Promise<void>
  remove(organizationId: string, id: string): Promise<boolean>
}

export interface ActivityRepository {
  insert(activity: Activity): Promise<void>
  get(organizationId: string, id: string): Promise<Activity | null>
  /** Newest first. */
  list(organizationId: string, page: Page & { fromMs?: number; toMs?: number }): Promise<Activity[]>
}
