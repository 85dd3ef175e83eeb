import type { ApiName } from './apis.ts'

/** A fault that is injected into requests, `times` times. */
export interface Fault {
  /** Absent = every API. */
  api?: ApiName
  /** The id of a node; absent = every node. */
  node?: number
  /** How many matching requests pass first. */
  skip?: number
  /** By default once. */
  times?: number
  /** The error code of the answer; the request does nothing. */
  error?: number
  /** The request waits before it does anything. */
  delayMs?: number
  /** The connection closes before the request does anything, after it, or in the middle of its answer. */
  close?: 'before' | 'after' | 'middle'
  /** For Fetch: the last byte of each batch is changed, so that its checksum is wrong. */
  corrupt?: boolean
}

export interface Faults {
  inject(fault: Fault): void
  /** Removes all faults, and accepts connections again. */
  clear(): void
  /** Closes new connections at once, to one node or to all. */
  refuseConnections(node?: number): void
  isRefusing(node: number): boolean
  take(api: ApiName, node: number): Fault | undefined
}

export function createFaults(): Faults {
  let waiting: { fault: Fault; skip: number; times: number }[] = []
  const refused = new Set<number | 'all'>()
  return {
    inject: (fault) => {
      waiting.push({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 })
    },
    clear() {
      waiting = []
      refused.clear()
    },
    refuseConnections: (node) => {
      refused.add(node ?? 'all')
    },
    isRefusing: (node) => refused.has('all') || refused.has(node),
    take(api, node) {
      for (const entry of waiting) {
        const { fault } = entry
        if ((fault.api ?? api) !== api || (fault.node ?? node) !== node) continue
        if (entry.skip > 0) {
          entry.skip--
          continue
        }
        if (--entry.times <= 0) waiting = waiting.filter((one) => one !== entry)
        return fault
      }
      return undefined
    },
  }
}
