import type { ServiceStatus } from '../../domain/service/types.ts'
import { createParser } from './context.ts'

/**
 * The status column. The id of the data plane is stored as `home`: control planes of an older version, which may
 * share the database, know no other name, and would run a service whose data is elsewhere.
 */
type StoredStatus = Omit<ServiceStatus, 'dataPlaneId'> & { home?: string }

export const parseStatus = createParser<ServiceStatus, StoredStatus>(({ home, ...status }) => ({
  ...status,
  ...(home === undefined ? {} : { dataPlaneId: home }),
}))

export function writeStatus({ dataPlaneId, ...status }: ServiceStatus): string {
  const stored: StoredStatus = { ...status, ...(dataPlaneId === undefined ? {} : { home: dataPlaneId }) }
  return JSON.stringify(stored)
}
