import type { Activity } from '../../src/domain/activity/types.ts'
import type { AlertRecord } from '../../src/domain/alert/types.ts'
import type { BackupRecord } from '../../src/domain/backup/types.ts'
import type { DashboardRecord } from '../../src/domain/dashboard/types.ts'
import type { KeyRecord } from '../../src/domain/key/types.ts'
import type { Organization } from '../../src/domain/organization/tiers.ts'
import { planCreate } from '../../src/domain/pipe/create.ts'
import type { ServiceRecord } from '../../src/domain/service/types.ts'
import type { SourceRecord } from '../../src/domain/source/types.ts'
import { newHexId, newId } from '../../src/lib/ids.ts'
import type { PipeRecord, Store } from '../../src/store/store.ts'
import { kafkaBody, planned } from './pipe-bodies.ts'

/** Records as control would write them; the argument replaces a part. */
export const startMs = 1_700_000_000_000

function organizationOf(over: Partial<Organization> = {}): Organization {
  const plain = { id: newId(), name: 'Acme', tier: 'SCALE' as const, paid: true }
  return { ...plain, serviceCount: 0, keyCount: 0, createdAt: startMs, ...over }
}

export type NewService = Omit<ServiceRecord, 'endpointPort'>

export function serviceOf(organizationId: string, over: Partial<NewService> = {}): NewService {
  return {
    id: newId(),
    organizationId,
    warehouseId: newId(),
    isPrimary: true,
    generation: 1,
    spec: {
      name: 'orders',
      tier: 'production',
      provider: 'local',
      region: 'local',
      ipAccessList: [{ source: '0.0.0.0/0', description: 'Anywhere' }],
      tags: [],
      isReadonly: false,
      durableInserts: true,
      minReplicaMemoryGb: 8,
      maxReplicaMemoryGb: 16,
      numReplicas: 2,
      idleScaling: true,
      idleTimeoutMinutes: 15,
      power: 'on',
      deleting: false,
      restoredFrom: null,
    },
    status: {
      state: 'provisioning',
      reason: 'the service was just created',
      sinceMs: startMs,
      observedGeneration: 0,
      dbVersion: '',
      provisioned: false,
      current: { numReplicas: 0, replicaMemoryGb: 0 },
    },
    createdAtMs: startMs,
    updatedAtMs: startMs,
    ...over,
  }
}

export const { spec: pipeSpec, secrets: pipeSecrets } = planned(planCreate(kafkaBody()))

export function pipeOf(
  service: Pick<ServiceRecord, 'id' | 'organizationId'>,
  over: Partial<PipeRecord> = {},
): PipeRecord {
  return {
    id: newId(),
    organizationId: service.organizationId,
    serviceId: service.id,
    generation: 1,
    spec: pipeSpec,
    status: { state: 'Provisioning', reason: 'just created', since: startMs, observedGeneration: 0 },
    deleting: false,
    createdAtMs: startMs,
    updatedAtMs: startMs,
    ...over,
  }
}

export function backupOf(
  service: Pick<ServiceRecord, 'id' | 'organizationId'>,
  over: Partial<BackupRecord> = {},
): BackupRecord {
  return {
    id: newId(),
    organizationId: service.organizationId,
    serviceId: service.id,
    generation: 1,
    startedAtMs: startMs,
    finishedAtMs: null,
    status: 'in_progress',
    type: 'full',
    reason: 'just requested',
    sizeInBytes: 0,
    baseId: null,
    requestedBy: 'user',
    place: 'local',
    damaged: false,
    progress: { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 },
    verification: { status: 'none', checkedAtMs: null, reason: '' },
    backupName: '',
    bucket: { bucketPath: '', iamRoleArn: '', iamRoleSessionName: '' },
    ...over,
  }
}

export function keyOf(organizationId: string, over: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: newId(),
    organizationId,
    kind: 'management',
    name: 'deploy',
    state: 'enabled',
    roles: ['admin'],
    serviceGrants: [{ serviceId: newId(), role: 'developer' }],
    ipAccessList: [{ source: '::/0', description: 'Anywhere' }],
    keySuffix: 'wxyz',
    createdAtMs: startMs,
    expireAtMs: null,
    usedAtMs: null,
    ...over,
  }
}

export function activityOf(organizationId: string, over: Partial<Activity> = {}): Activity {
  return {
    id: newId(),
    organizationId,
    createdAtMs: startMs,
    type: 'service_update',
    actorType: 'api',
    actorId: newId(),
    actorDetails: 'deploy',
    actorIpAddress: '127.0.0.1',
    userAgent: 'test',
    serviceId: null,
    resourceId: newId(),
    requestId: newId(),
    reason: '',
    before: { name: 'old' },
    after: { name: 'new' },
    ...over,
  }
}

export function dashboardOf(over: Partial<DashboardRecord> = {}): DashboardRecord {
  return { id: newHexId(startMs), name: 'Sales', tiles: [], tags: ['team'], ...over }
}

export function sourceOf(over: Partial<SourceRecord> = {}): SourceRecord {
  return {
    ...{ id: newHexId(startMs), name: 'shop logs', kind: 'events', serviceId: newId() },
    ...{ database: 'shop', table: 'logs', timestampColumn: 'ts', implicitColumn: 'body' },
    ...{ aliases: { level: 'SeverityText' }, isDefault: true, createdAtMs: startMs, updatedAtMs: startMs },
    ...over,
  }
}

export function alertOf(organizationId: string, over: Partial<AlertRecord> = {}): AlertRecord {
  return {
    ...{ id: newHexId(startMs), organizationId, dashboardId: newHexId(startMs), tileId: newHexId(startMs) },
    ...{ name: 'Errors', message: '', enabled: true, interval: '1m', threshold: 10, thresholdType: 'above' },
    ...{ numConsecutiveWindows: 1, url: 'https://hooks.example.com/x' },
    status: {
      ...{ state: 'OK', sinceMs: startMs, lastValue: null, lastEvaluatedAtMs: null, lastError: null },
      ...{ breaches: 0, nextAtMs: 0, evaluations: 0, pending: [] },
    },
    ...{ createdAtMs: startMs, updatedAtMs: startMs, ...over },
  }
}

/** Adds an organization to the store. */
export async function addOrganization(store: Store, over: Partial<Organization> = {}): Promise<Organization> {
  const organization = organizationOf(over)
  await store.organizations.ensure(organization)
  return organization
}

/** Adds a service with its port to the store. */
export async function addService(
  store: Store,
  organizationId: string,
  over: Partial<NewService> = {},
): Promise<ServiceRecord> {
  const stored = await store.transaction((tx) => tx.services.insert(serviceOf(organizationId, over), 'hash'))
  if (!stored) throw new Error('no port is free')
  return stored
}

export async function addPipe(
  store: Store,
  service: ServiceRecord,
  over: Partial<PipeRecord> = {},
): Promise<PipeRecord> {
  const pipe = pipeOf(service, over)
  await store.transaction((tx) => tx.pipes.insert(pipe, pipeSecrets))
  return pipe
}
