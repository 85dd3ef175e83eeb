import type { ApiName } from './apis.ts'

/** Something that goes wrong with a request, as often as `times` says. */
export interface Fault {
  /** Absent = all. */
  api?: ApiName
  /** The id of a node; absent = all. */
  node?: number
  /** How many requests that match pass before. */
  skip?: number
  /** By default once. */
  times?: number
  /** The error code of the answer; the request does nothing. */
  error?: number
  /** The request waits before it does anything. */
  delayMs?: number
  /** The connection closes before the request does anything, after it, or in the middle of its answer. */
  close?: 'before' | 'after' | 'middle'
  /** Of Fetch: the last byte of each batch is another one, so that its checksum is wrong. */
  corrupt?: boolean
}

export interface Faults {
  inject(fault: Fault): void
  /** Ends all faults, and lets connections in again. */
  clear(): void
  /** New connections are closed at once; to all nodes, or to one. */
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
