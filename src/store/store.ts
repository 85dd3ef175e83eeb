import type { Activity, ActivityType } from '../domain/activity/types.ts'
import type { AlertHistoryEntry, AlertRecord, AlertStatus } from '../domain/alert/types.ts'
import type { BackupBucket } from '../domain/backup/bucket.ts'
import type { BackupConfiguration, BackupRecord } from '../domain/backup/types.ts'
import type { ResourceChange } from '../domain/change/types.ts'
import type { DashboardRecord, DashboardVersion, SavedDashboard } from '../domain/dashboard/types.ts'
import type { DemoRecord } from '../domain/demo/types.ts'
import type { HistoryStep, OrganizationPoint, PipePoint, ServicePoint } from '../domain/history/points.ts'
import type { KeyRecord } from '../domain/key/types.ts'
import type { Organization } from '../domain/organization/tiers.ts'
import type { PipeSecrets, PipeSpec, PipeStatus } from '../domain/pipe/types.ts'
import type { NamedQuery } from '../domain/query/types.ts'
import type { ServiceRecord, ServiceStatus } from '../domain/service/types.ts'
import type { UsageHistory } from '../domain/service/usage-history.ts'
import type { ServiceUserRecord } from '../domain/service/user.ts'
import type { SessionRecord } from '../domain/session/types.ts'
import type { SourceKind, SourceRecord } from '../domain/source/types.ts'
import type { Claim, WorkQueue } from '../lib/work-queue.ts'

/**
 * Everything that survives a restart, and the only place that writes it.
 *
 * Durable: intent (specs), the last known status with its reason, credentials as hashes, sealed secrets, the
 * audit trail, and the work queue. A write is acknowledged only after its transaction is on the disk (SQLite:
 * WAL with synchronous=FULL; PostgreSQL: synchronous_commit as the server has it, on by default). Not durable:
 * what engines and pipes really do at this moment. That is observed again after a start, never read from the
 * store.
 *
 * Intent and the work that follows from it are written in one transaction, so that no accepted request is lost.
 * Status written by a loop carries its claim and is dropped when the lease has moved on.
 */
export interface Store extends Repositories {
  /**
   * Runs `work` on one consistent view; all of its writes succeed or none. Rows read through it stay locked.
   */
  transaction<T>(work: (tx: Repositories) => Promise<T>): Promise<T>
  /** Rejects when the store cannot answer. */
  ping(): Promise<void>
  /**
   * Calls back when another control plane wrote something; null = anything may have changed. A lost call costs
   * only time.
   */
  onIntent(listener: (change: StoreChange | null) => void): () => void
  /**
   * Calls back when a resource has changed, through this control plane or another one; null = some calls may have been
   * lost. Called after the commit.
   */
  onChange(listener: (change: ResourceChange | null) => void): () => void
  readonly work: WorkQueue
  /** Voids the leases of owners that are known to be dead; returns how many. */
  releaseDead(isDead: (owner: string) => boolean): Promise<number>
  close(): Promise<void>
}

/**
 * `id` is that of the resource (`intent`), of the service whose user or password changed (`login`), or of the
 * API key.
 */
export type StoreChange = { kind: 'intent' | 'login' | 'key'; id: string }

export interface Repositories {
  meta: MetaRepository
  organizations: OrganizationRepository
  keys: KeyRepository
  sessions: SessionRepository
  services: ServiceRepository
  serviceUsers: ServiceUserRepository
  pipes: PipeRepository
  pipeJournal: PipeJournalRepository
  backups: BackupRepository
  backupBuckets: BackupBucketRepository
  dashboards: DashboardRepository
  sources: SourceRepository
  alerts: AlertRepository
  demos: DemoRepository
  namedQueries: NamedQueryRepository
  activities: ActivityRepository
  history: HistoryRepository
}

export interface MetaRepository {
  get(name: string): Promise<string | null>
  /** Keeps the first value ever set, and returns it. */
  setOnce(name: string, value: string): Promise<string>
}

export interface OrganizationRepository {
  /**
   * In a transaction, `share` keeps the organization's rules from changing until the end, and `update` is for
   * callers that change them. The organization is always locked before its services, so that no deadlock
   * occurs.
   */
  get(id: string, lock?: 'share' | 'update'): Promise<Organization | null>
  /** Does nothing when the organization exists. */
  ensure(organization: Organization): Promise<void>
  update(id: string, change: Partial<Pick<Organization, 'name' | 'tier' | 'paid'>>): Promise<void>
}

/** A key with the hash to check a secret against. */
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

/** Sessions of people who signed in with a key; they are removed with it. Only the hash of a secret is stored. */
export interface SessionRepository {
  /** The session with its key, whatever their state; null = no session has this secret. */
  bySecret(secretHash: string): Promise<{ session: SessionRecord; key: KeyRecord } | null>
  get(organizationId: string, id: string): Promise<SessionRecord | null>
  /** Those that have not expired, oldest first. */
  list(organizationId: string, page: Page & { nowMs: number }): Promise<SessionRecord[]>
  /** Also removes sessions that have expired, and those of the key beyond the limit. In a transaction. */
  insert(session: SessionRecord, secretHash: string): Promise<void>
  /** False = it was gone already. */
  remove(session: Pick<SessionRecord, 'id' | 'keyId' | 'organizationId'>): Promise<boolean>
  touch(id: string, usedAtMs: number, expireAtMs: number): Promise<void>
}

export interface Page {
  limit?: number
  /** Only items after this position in the list's order. */
  after?: { atMs: number; id: string }
}

export interface ServiceRepository {
  get(organizationId: string, id: string): Promise<ServiceRecord | null>
  /** For loops, which know only the id of the service. */
  find(id: string): Promise<ServiceRecord | null>
  /** Oldest first. */
  list(organizationId: string, page?: Page): Promise<ServiceRecord[]>
  primaryOf(organizationId: string, warehouseId: string): Promise<ServiceRecord | null>
  hasSecondaries(warehouseId: string): Promise<boolean>
  /** The warehouses that have secondaries. */
  sharedWarehouses(organizationId: string): Promise<string[]>
  /** The endpoint ports of all services, oldest first, in pages: a gateway opens them when it starts. */
  endpoints(page?: Page): Promise<{ id: string; port: number; dataPlaneId: string; createdAtMs: number }[]>
  passwordHash(id: string): Promise<string | null>
  /** Reserves an endpoint port and increments the organization's service count. Null = no port is free. */
  insert(record: Omit<ServiceRecord, 'endpointPort'>, passwordHash: string): Promise<ServiceRecord | null>
  /** Raises the generation and makes the service due. */
  saveIntent(record: ServiceRecord): Promise<ServiceRecord>
  /** False = the lease was lost, or a newer intent came meanwhile: nothing is written. */
  saveStatus(seen: ServiceRecord, status: ServiceStatus, claim: Claim): Promise<boolean>
  setPassword(id: string, passwordHash: string, atMs: number): Promise<void>
  /** Which of these backups are still needed by a service that is being restored. */
  restoring(backupIds: readonly string[]): Promise<string[]>
  /** Removes the service with its pipes and users, and releases its port. */
  remove(record: ServiceRecord, claim: Claim): Promise<boolean>
  /** The memory use of the service; empty when nothing was recorded. */
  usageHistory(serviceId: string): Promise<UsageHistory>
  saveUsageHistory(serviceId: string, history: UsageHistory): Promise<void>
  backupConfiguration(serviceId: string): Promise<BackupConfiguration | null>
  saveBackupConfiguration(serviceId: string, configuration: BackupConfiguration): Promise<void>
}

/** A user with the hash to check a password against. */
export interface StoredServiceUser extends ServiceUserRecord {
  passwordHash: string
}

export interface ServiceUserRepository {
  find(serviceId: string, id: string): Promise<ServiceUserRecord | null>
  /** For the check of a password. Names are case-sensitive. */
  findByName(serviceId: string, name: string): Promise<StoredServiceUser | null>
  /** Oldest first. */
  list(serviceId: string): Promise<ServiceUserRecord[]>
  count(serviceId: string): Promise<number>
  /** Rejects when the service has a user of that name. */
  insert(user: ServiceUserRecord, passwordHash: string): Promise<void>
  /** Writes the role, and the password if one is given; the name cannot change. */
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
  /** Of all services of the organization, or of these; oldest first. */
  listAll(organizationId: string, services: 'all' | ReadonlySet<string>, page?: Page): Promise<PipeRecord[]>
  secrets(id: string): Promise<PipeSecrets>
  insert(record: PipeRecord, secrets: PipeSecrets): Promise<void>
  saveIntent(record: PipeRecord, secrets?: PipeSecrets): Promise<PipeRecord>
  /** As for services: false = nothing was written. */
  saveStatus(seen: PipeRecord, status: PipeStatus, claim: Claim): Promise<boolean>
  remove(id: string, claim: Claim): Promise<boolean>
}

/** What a pipe has done so far. */
export interface PipeRun {
  /** The resync that the lanes belong to. */
  resync: number
  rows: number
  /** Bytes read from the source. */
  bytes: number
  rejected: number
  /** The generation whose destination was last prepared; 0 = none. */
  preparedGeneration: number
  delivery: 'exactly_once' | 'at_least_once'
  /** A source that has an end was read to its end. */
  completed: boolean
}

export interface PipeLane {
  name: string
  /** Rises with each lease; a write with an older epoch is refused. */
  epoch: number
  /** The end of the last committed batch, in the source's words; null = nothing was committed. */
  position: string | null
  /** Numbers the lane's batches. */
  sequence: number
  /** Rises when the lane is set back, so that rows are let in again. */
  round: number
}

/** A batch that was begun: it is inserted again and again until it is finished. */
export interface PendingBatch {
  lane: string
  token: string
  first: string
  last: string
  sequence: number
  /** The name of the spool in the pipe's folder. */
  spool: string
  sourceBytes: number
}

/**
 * The journal of pipes. A batch is begun before its rows are sent and finished after the service has acknowledged
 * them, so that a crash in between leaves the batch on record. Calls with an epoch write only where that epoch still
 * holds the lane; false = nothing was written. Those that write to several tables need a transaction.
 */
export interface PipeJournalRepository {
  run(pipeId: string): Promise<PipeRun | null>
  lanes(pipeId: string): Promise<PipeLane[]>
  /** Where the lanes are, and since when; null = nothing was committed yet, or not since the times are kept. */
  lanePlaces(pipeId: string): Promise<{ name: string; position: string | null; updatedAtMs: number | null }[]>
  pending(pipeId: string): Promise<PendingBatch[]>
  saveRun(pipeId: string, change: Partial<Omit<PipeRun, 'rows' | 'bytes' | 'rejected'>>): Promise<void>
  /** Forgets lanes, batches and completion; the counters stay. */
  restart(pipeId: string, resync: number): Promise<void>
  /** Takes a lane, new or known; false = a newer epoch has it. */
  lease(pipeId: string, lane: string, epoch: number): Promise<boolean>
  /**
   * Sets a leased lane to another place, because the warehouse holds less or more than the journal, and forgets the
   * batch that was begun.
   */
  place(pipeId: string, lane: PipeLane): Promise<boolean>
  begin(pipeId: string, batch: PendingBatch, epoch: number): Promise<boolean>
  /** Removes the batch, moves its lane to the batch's end, and adds to the counters. */
  finish(
    pipeId: string,
    batch: PendingBatch,
    counts: { rows: number; rejected: number },
    epoch: number,
  ): Promise<boolean>
}

export interface BackupRepository {
  get(serviceId: string, id: string): Promise<BackupRecord | null>
  find(id: string): Promise<BackupRecord | null>
  /** Newest first. */
  list(serviceId: string, page?: Page): Promise<BackupRecord[]>
  /** The backup in progress. In a transaction that has locked the service, no other can start until the end. */
  running(serviceId: string): Promise<BackupRecord | null>
  /** The latest backup that was read back undamaged; null = none of the newest was. */
  newestGood(serviceId: string): Promise<BackupRecord | null>
  insert(record: BackupRecord): Promise<void>
  /** Writes the intent and makes the backup due; a result that a loop found meanwhile is then dropped. */
  saveIntent(record: BackupRecord): Promise<void>
  /**
   * Writes the result of a loop. A backup that has ended makes the service's schedule due; one that ended as an
   * error is due itself, until its files are gone.
   */
  save(record: BackupRecord, claim: Claim): Promise<boolean>
  remove(id: string, claim: Claim): Promise<boolean>
}

/** Buckets that users own. Their secrets are sealed, and read only to connect to the bucket. */
export interface BackupBucketRepository {
  /** Also finds earlier buckets, and those of services that are gone. */
  find(id: string): Promise<BackupBucket | null>
  /** The bucket that the service's backups go to now; null = they go to no bucket. */
  current(serviceId: string): Promise<BackupBucket | null>
  findByUrl(serviceId: string, url: string): Promise<BackupBucket | null>
  /** '' = the bucket is used without a secret. */
  secret(id: string): Promise<string>
  /** Writes the whole record. If this bucket is current, the service's other buckets are not. */
  save(bucket: BackupBucket, secret: string): Promise<void>
  /** The service has no current bucket any more. */
  clear(serviceId: string): Promise<void>
  /** Removes the buckets, with their secrets, that are not current and that no backup on record lies in. */
  removeUnused(serviceId: string): Promise<void>
}

/** Each save is kept as a version; of every dashboard the last 50 stay. */
export interface DashboardRepository {
  get(organizationId: string, id: string): Promise<DashboardRecord | null>
  getSaved(organizationId: string, id: string): Promise<SavedDashboard | null>
  /** Sorted by name. */
  list(organizationId: string): Promise<DashboardRecord[]>
  /** Those kept in step with files, by id. */
  listFromFiles(organizationId: string): Promise<SavedDashboard[]>
  insert(organizationId: string, record: DashboardRecord, atMs: number, save?: Save): Promise<void>
  /** Returns the new version; 0 = the organization has no such dashboard. */
  replace(organizationId: string, record: DashboardRecord, atMs: number, save?: Save): Promise<number>
  /** Removes the dashboard with its versions. */
  remove(organizationId: string, id: string): Promise<boolean>
  /** Newest first. */
  versions(id: string): Promise<DashboardVersion[]>
  version(id: string, version: number): Promise<(DashboardVersion & { dashboard: DashboardRecord }) | null>
}

export interface Save {
  /** Absent = nobody is named. */
  by?: string
  /** Only of an insert. */
  file?: string
}

export interface SourceRepository {
  get(organizationId: string, id: string): Promise<SourceRecord | null>
  /** Whatever the case of the name. */
  findByName(organizationId: string, name: string): Promise<SourceRecord | null>
  defaultOf(organizationId: string, kind: SourceKind): Promise<SourceRecord | null>
  /** Sorted by name. */
  list(organizationId: string): Promise<SourceRecord[]>
  /** Rejects when the organization has a source of that name. A new default takes the flag from the other. */
  insert(organizationId: string, source: SourceRecord): Promise<void>
  replace(organizationId: string, source: SourceRecord): Promise<void>
  remove(organizationId: string, id: string): Promise<boolean>
}

/** A named query outlives the service that it is meant for. */
export interface NamedQueryRepository {
  get(organizationId: string, id: string): Promise<NamedQuery | null>
  /** Sorted by name. */
  list(organizationId: string): Promise<NamedQuery[]>
  count(organizationId: string): Promise<number>
  insert(query: NamedQuery): Promise<void>
  replace(query: NamedQuery): Promise<void>
  remove(query: NamedQuery): Promise<void>
}

/** At most one demo for each organization. */
export interface DemoRepository {
  get(organizationId: string): Promise<DemoRecord | null>
  /** The demos whose files are in this data directory. */
  list(dataPlaneId: string): Promise<DemoRecord[]>
  save(demo: DemoRecord): Promise<void>
  remove(organizationId: string): Promise<void>
}

/** Alerts go with their tile. Each evaluation is an entry of the history; the last 1000 stay. */
export interface AlertRepository {
  get(organizationId: string, id: string): Promise<AlertRecord | null>
  /** For the loop, which knows only the id. */
  find(id: string): Promise<AlertRecord | null>
  /** Oldest first. */
  list(organizationId: string, page: { limit: number; offset: number }): Promise<AlertRecord[]>
  count(organizationId: string): Promise<number>
  /** Signs the webhooks of the alert. */
  secret(id: string): Promise<string>
  /** Makes the alert due. */
  insert(alert: AlertRecord, secret: string): Promise<void>
  /** Writes the settings and the status, and the secret if one is given; makes the alert due. */
  save(alert: AlertRecord, secret?: string): Promise<void>
  /** Writes the result of an evaluation. False = the lease was lost, or the settings changed: nothing is written. */
  saveEvaluation(
    id: string,
    status: AlertStatus,
    entry: AlertHistoryEntry | null,
    claim: Claim,
  ): Promise<boolean>
  /** Writes the result of an attempt to deliver a webhook, whatever else changed. In a transaction. */
  saveDelivery(
    id: string,
    change: (status: AlertStatus) => AlertStatus,
    evaluation: number,
    delivery: AlertHistoryEntry['delivery'],
  ): Promise<void>
  remove(organizationId: string, id: string): Promise<boolean>
  /** Newest first. */
  history(id: string, limit: number): Promise<AlertHistoryEntry[]>
}

export interface ActivityRepository {
  insert(activity: Activity): Promise<void>
  get(organizationId: string, id: string): Promise<Activity | null>
  /** Newest first. */
  list(
    organizationId: string,
    page: Page & { fromMs?: number; toMs?: number; serviceId?: string; types?: readonly ActivityType[] },
  ): Promise<Activity[]>
}

/** By kind of resource, what is kept of it. */
export interface HistoryPoints {
  service: ServicePoint
  pipe: PipePoint
  organization: OrganizationPoint
}
export type HistoryKind = keyof HistoryPoints

export interface StoredPoint<T> {
  startMs: number
  point: T
}

/** Points of the past. Those of services and pipes go with them; the sums of an organization have one id per data plane. */
export interface HistoryRepository {
  /** Replaces the point of that time, and removes those that are too old. */
  write(row: {
    kind: HistoryKind
    id: string
    organizationId: string
    step: HistoryStep
    startMs: number
    point: HistoryPoints[HistoryKind]
  }): Promise<void>
  /** Oldest first. */
  read<Kind extends HistoryKind>(
    kind: Kind,
    id: string,
    step: HistoryStep,
    fromMs: number,
  ): Promise<StoredPoint<HistoryPoints[Kind]>[]>
  /** The sums of all data planes, oldest first. */
  readOrganization(
    organizationId: string,
    step: HistoryStep,
    fromMs: number,
  ): Promise<StoredPoint<OrganizationPoint>[]>
}
