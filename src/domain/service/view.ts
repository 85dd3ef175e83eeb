import { automaticOf } from './automatic.ts'
import { totalMemoryFactor } from './limits.ts'
import { noResources } from './resources.ts'
import type { ServiceRecord } from './types.ts'

/** A service as the interface shows it: every field is present, empty where there is no value. */
export function viewService(record: ServiceRecord, endpoint: { protocol: string; host: string }) {
  const { spec, status } = record
  return {
    id: record.id,
    name: spec.name,
    state: status.state,
    stateReason: status.reason,
    desiredState: spec.power === 'on' ? ('running' as const) : ('stopped' as const),
    provider: spec.provider,
    region: spec.region,
    tier: spec.tier,
    dbVersion: status.dbVersion,
    endpoints: [{ ...endpoint, port: record.endpointPort, username: 'default' }],
    minTotalMemoryGb: spec.minReplicaMemoryGb * totalMemoryFactor,
    maxTotalMemoryGb: spec.maxReplicaMemoryGb * totalMemoryFactor,
    minReplicaMemoryGb: spec.minReplicaMemoryGb,
    maxReplicaMemoryGb: spec.maxReplicaMemoryGb,
    numReplicas: spec.numReplicas,
    idleScaling: spec.idleScaling,
    idleTimeoutMinutes: spec.idleTimeoutMinutes,
    currentScaling: { ...status.current, reason: automaticOf(spec).reason },
    resources: noResources,
    ipAccessList: spec.ipAccessList,
    tags: spec.tags,
    createdAt: new Date(record.createdAtMs).toISOString(),
    encryptionKey: '',
    encryptionAssumedRoleIdentifier: '',
    iamRole: '',
    privateEndpointIds: [],
    availablePrivateEndpointIds: [],
    dataWarehouseId: record.warehouseId,
    isPrimary: record.isPrimary,
    isReadonly: spec.isReadonly,
    durableInserts: spec.durableInserts ?? true,
    byocId: '',
    hasTransparentDataEncryption: false,
    transparentDataEncryptionKeyId: '',
    encryptionRoleId: '',
    restoredFromBackupId: spec.restoredFrom ?? '',
  }
}

export type ServiceView = ReturnType<typeof viewService>
