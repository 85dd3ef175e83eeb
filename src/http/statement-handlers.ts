import type { serviceStatementOperations } from '../api/service-statement-operations.ts'
import { cancelQuery, exportStatement, runStatement } from '../control/services/statements.ts'
import type { Handlers } from './handler.ts'

/** Statements on a service: one call of the control layer each. */
export const statementHandlers: Handlers<keyof typeof serviceStatementOperations> = {
  'services.query': (control, { caller, params, body, signal }) =>
    runStatement(control, caller, params.serviceId, body, signal),
  'services.export': async (control, call) => {
    const { caller, params, body, signal } = call
    const { type, fileName, bytes } = await exportStatement(control, caller, params.serviceId, body, signal)
    call.header('content-type', type)
    call.header('content-disposition', `attachment; filename="${fileName}"`)
    return bytes
  },
  'services.cancelQuery': (control, { caller, params, signal }) =>
    cancelQuery(control, caller, params, signal),
}
