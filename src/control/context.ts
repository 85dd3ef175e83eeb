import { type Activity, type ActivityType, difference } from '../domain/activity/types.ts'
import { AppError, notFound } from '../domain/errors.ts'
import type { KeyRecord } from '../domain/key/types.ts'
import type { Organization } from '../domain/organization/tiers.ts'
import type { LiveLane } from '../domain/pipe/lane.ts'
import type { PipeRunStatus } from '../domain/pipe/run-status.ts'
import type { ServiceResources } from '../domain/service/resources.ts'
import type { RestoreProgress } from '../domain/service/restore.ts'
import { isAllowed, isUsable, type ServiceAction, serviceActions } from '../domain/service/transitions.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import type { SessionRecord } from '../domain/session/types.ts'
import type { BackupRuntime } from '../engine/backup.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { PipeChecks } from '../pipes/checks.ts'
import type { RejectedRecords } from '../pipes/rejected.ts'
import type { Queries } from '../queries/queries.ts'
import type { TableReader } from '../sources/tables.ts'
import type { Statements } from '../statements/statements.ts'
import type { SecretBox } from '../store/secret-box.ts'
import type { Repositories, Store } from '../store/store.ts'
import type { ChangeHub } from './changes.ts'
import type { DemoPort } from './demo.ts'

/** The dependencies of every change: store, clock, and the loops to wake. */
export interface ControlContext {
  store: Store
  clock: Clock
  secretBox: SecretBox
  /** The address of all service endpoints; each service has its own port. */
  endpoint: { protocol: string; host: string }
  quotas: { servicesPerOrganization: number; keysPerOrganization: number }
  /**
   * The data plane of this process. It holds new services, unless their warehouse or backup is on another one.
   */
  dataPlane: {
    /** '' = any data plane may run any service. */
    id: string
    /**
     * Resolves when the endpoint is open, or after a short time: then the loop keeps trying and reports why.
     */
    openEndpoint(service: { serviceId: string; port: number }): Promise<void>
  }
  /** What a service's replicas use now; `noResources` while none runs here. Wakes nothing. */
  resources(service: ServiceRecord): Promise<ServiceResources>
  /** How far the restore of a service is; null = it is not being restored here. */
  restoreProgress(service: ServiceRecord): Promise<RestoreProgress | null>
  /** What a pipe does and has done; null = it does not run here. */
  pipeStatus(pipeId: string): PipeRunStatus | null
  /** The lanes of a pipe that workers read here. */
  pipeLanes(pipeId: string): LiveLane[]
  /** Null = no pipe runs here. */
  rejectedRecords: RejectedRecords | null
  /** Streams of changes. */
  changes: ChangeHub
  /** Product time passes this many times faster than the clock; backups are scheduled in product time. */
  timeScale: number
  /** Dashboards from files are kept in step with them here, and cannot be changed otherwise. */
  keepsDashboardFiles: boolean
  /** Why a webhook may not go to this address; null = it may. */
  webhookRefusal(url: string): Promise<string | null>
  /** Null = no engine runs here. */
  tables: TableReader | null
  /** Null = no engine runs here. */
  queries: Queries | null
  /** Statements of callers; null = no engine runs here. */
  statements: Statements | null
  /** Looks at sources and tables before a pipe is stored; null = pipes are stored unseen. */
  pipeChecks: PipeChecks | null
  /** Null = no engine runs here. */
  demo: DemoPort | null
  /** Writes, reads and removes a test file at a place for backups; null = no engine runs here that could. */
  tryBackupLocation: BackupRuntime['tryLocation'] | null
  /**
   * Tells the loops that there is work, and the caches of the resource that its intent changed; without `id`,
   * several resources changed, in nothing that is cached. Called after the transaction of the change, never
   * inside it.
   */
  wake(kind: 'service' | 'pipe' | 'backup' | 'alert', id?: string): void
  /** Tells the caches of API keys that a key changed. Called after the transaction too. */
  keysChanged(): void
  /**
   * Tells the caches of this service's users and passwords that one changed. Called after the transaction too.
   */
  loginsChanged(serviceId: string): void
}

/** The key of a request, directly or by a session, and the address that it came from. */
export interface Caller {
  key: KeyRecord
  /** Absent = the request came with the key itself. */
  session?: Pick<SessionRecord, 'id' | 'expireAtMs'>
  ipAddress: string
  userAgent: string
  requestId: string
}

export interface Change {
  type: ActivityType
  serviceId?: string | null
  resourceId: string
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

/**
 * Writes a change to the audit trail, in the transaction of the change. It takes views, which hold no secrets.
 */
export async function recordActivity(
  tx: Repositories,
  clock: Clock,
  caller: Caller,
  change: Change,
): Promise<void> {
  const activity: Activity = {
    id: newId(),
    organizationId: caller.key.organizationId,
    createdAtMs: clock.now(),
    type: change.type,
    actorType: 'api',
    actorId: caller.key.id,
    actorDetails: caller.key.name,
    actorIpAddress: caller.ipAddress,
    userAgent: caller.userAgent,
    serviceId: change.serviceId ?? null,
    resourceId: change.resourceId,
    requestId: caller.requestId,
    reason: '',
    ...difference(change.before ?? {}, change.after ?? {}),
  }
  await tx.activities.insert(activity)
}

/** The caller's organization. In a transaction, its rules cannot change until the end. */
export async function loadOrganization(
  repositories: Repositories,
  caller: Caller,
  lock?: 'share' | 'update',
): Promise<Organization> {
  const organization = await repositories.organizations.get(caller.key.organizationId, lock)
  if (!organization) throw notFound('organization')
  return organization
}

export async function loadService(
  repositories: Repositories,
  caller: Caller,
  id: string,
): Promise<ServiceRecord> {
  const service = await repositories.services.get(caller.key.organizationId, id)
  if (!service) throw notFound('service')
  return service
}

/** Throws 424 if the service does not run, and traffic does not wake it. */
export function requireUsable(service: ServiceRecord): void {
  const { state } = service.status
  if (isUsable(state)) return
  const message = `the service does not run, and traffic does not wake it. Current state: ${state}`
  throw new AppError('FAILED_DEPENDENCY', message, { extra: { serviceState: state, canWake: false } })
}

/** Throws 409 if the service does not accept the action in its state. */
export function requireState(service: ServiceRecord, action: ServiceAction): void {
  const { state } = service.status
  if (isAllowed(action, state)) return
  const allowedStates = serviceActions[action]
  const message = `cannot ${action} a service in this state. Current state: ${state}. Allowed states: ${allowedStates.join(', ')}`
  throw new AppError('CONFLICT', message, { extra: { currentState: state, allowedStates } })
}
