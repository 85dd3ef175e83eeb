import type { EgressPolicy } from '../lib/egress/guard.ts'
import type { EgressList } from '../lib/egress/list.ts'

/** Where sources of pipes may be. */
export const sourceEgress = (list: EgressList): EgressPolicy => ({
  ...{ list, who: 'Pipes', setting: 'GRANARY_SOURCE_EGRESS_ALLOW' },
})
