import type { ReplicaSpec } from '../protocol.ts'

/**
 * Whether the SQL filter is off in this process and clients have every grant, which only tests of the operating
 * system's confinement need. Every check of the filter reads this switch.
 */
export const filterSwitch = { isOff: false }

export function setFilter({ trusted }: Pick<ReplicaSpec, 'trusted'>): void {
  filterSwitch.isOff = trusted?.filter === 'off'
}
