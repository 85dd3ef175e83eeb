import { backupOperations } from './backup-operations.ts'
import { demoOperations } from './demo-operations.ts'
import { historyOperations } from './history-operations.ts'
import { keyOperations } from './key-operations.ts'
import { namedQueryOperations } from './named-query-operations.ts'
import { organizationListOperations } from './organization-list-operations.ts'
import { organizationOperations } from './organization-operations.ts'
import { pipeOperations } from './pipe-operations.ts'
import { serviceOperations } from './service-operations.ts'
import { serviceStatementOperations } from './service-statement-operations.ts'
import { serviceUserOperations } from './service-user-operations.ts'
import { sessionOperations } from './session-operations.ts'

/** The management API, in the order in which its reference shows it. */
export const managementOperations = {
  ...organizationOperations,
  ...organizationListOperations,
  ...historyOperations,
  ...demoOperations,
  ...keyOperations,
  ...sessionOperations,
  ...namedQueryOperations,
  ...serviceOperations,
  ...serviceStatementOperations,
  ...serviceUserOperations,
  ...pipeOperations,
  ...backupOperations,
}
