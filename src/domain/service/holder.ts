import type { ServiceRecord } from './types.ts'

/** Another data plane holds the service's data, and with it the files of its local backups; '' = there is one only. */
export function isElsewhere(service: Pick<ServiceRecord, 'status'> | null, home: string): boolean {
  const holder = service?.status.home
  return home !== '' && holder !== undefined && holder !== home
}
