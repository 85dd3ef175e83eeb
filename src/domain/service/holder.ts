import type { ServiceRecord } from './types.ts'

/**
 * Whether another data plane holds the service's data, and with it the files of its local backups. `dataPlaneId` is
 * the id of this data plane; '' = there is only one.
 */
export function isElsewhere(service: Pick<ServiceRecord, 'status'> | null, dataPlaneId: string): boolean {
  const holder = service?.status.dataPlaneId
  return dataPlaneId !== '' && holder !== undefined && holder !== dataPlaneId
}
