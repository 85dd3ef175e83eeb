import { alertOperations } from './alert-operations.ts'
import { chartOperations } from './chart-operations.ts'
import { dashboardOperations } from './dashboard-operations.ts'
import { sourceOperations } from './source-operations.ts'

/** The dashboard API. Answers are `{ data }`, errors `{ message, issues? }`. */
export const dashboardApiOperations = {
  ...dashboardOperations,
  ...sourceOperations,
  ...alertOperations,
  ...chartOperations,
}
