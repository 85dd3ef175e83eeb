import type { ServiceRecord } from './types.ts'

/**
 * Whether another data plane holds the service's data, and with it the files of its local backups. `home` is
 * the id of this data plane; '' = there is only one.
 */
export function isElsewhere(service: Pick<ServiceRecord, 'status'> | null, home: string): boolean {
  const holder = service?.status.home
  return home !== '' && holder !== undefined && holder !== home
}
