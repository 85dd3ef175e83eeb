import { createSlots, type Slots } from '../../../../lib/slots.ts'
import { EngineError } from '../../engine-error.ts'

export interface StatementSlotsOptions {
  max: number
  maxWaiting: number
  /** What the slots hold, for error messages; '' = statements. */
  unit?: string
}

/** Slots for statements: a statement beyond the limits is refused with ClickHouse's error. */
export function createStatementSlots({ max, maxWaiting, unit = '' }: StatementSlotsOptions): Slots {
  const message = `Too many simultaneous queries. Maximum: ${max}${unit}, waiting: ${maxWaiting}`
  const refusal = () => new EngineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', message)
  return createSlots({ max, maxWaiting, refusal })
}
