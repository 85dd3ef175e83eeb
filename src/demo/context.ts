import type { Caller, ControlContext } from '../control/context.ts'
import type { DemoRecord, DemoStep } from '../domain/demo/types.ts'
import type { DemoFolder } from './folder.ts'

/** What the steps of a demo work with. */
export interface DemoWork {
  demo: DemoRecord
  /** What the API is made of: the demo makes nothing in another way. */
  control: ControlContext
  caller: Caller
  folder: DemoFolder
  /** Runs a statement on the demo's service. */
  run(statement: string): Promise<void>
  tell(step: DemoStep, counts: { done: number; total: number }): void
  signal: AbortSignal
}

/** The demo acts as the key that asked for it, and the audit trail says so. */
export function callerOf({ organizationId, by }: DemoRecord): Caller {
  return {
    key: {
      ...{ id: by.keyId, organizationId, kind: 'management', name: by.keyName, state: 'enabled' },
      ...{ roles: ['admin'], serviceGrants: [], ipAccessList: [], keySuffix: '', createdAtMs: 0 },
      ...{ expireAtMs: null, usedAtMs: null },
    },
    ...{ ipAddress: '', userAgent: 'granary demo', requestId: '' },
  }
}

const pauseMs = 250

/** Looks again and again until there is something to return. */
export async function until<T>({ control, signal }: DemoWork, look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    signal.throwIfAborted()
    const found = await look()
    if (found !== null) return found
    await control.clock.sleep(pauseMs, signal)
  }
}
