import type { IpAccessEntry } from './types.ts'

/** An entry as requests send it. */
export interface IpEntryInput {
  source: string
  description?: string
}

/** Open to all, because the address that Granary listens on already limits who can reach an endpoint. */
export const anywhere: readonly IpAccessEntry[] = [
  { source: '0.0.0.0/0', description: 'Anywhere (IPv4)' },
  { source: '::/0', description: 'Anywhere (IPv6)' },
]

export const completeEntries = (entries: readonly IpEntryInput[]): IpAccessEntry[] =>
  entries.map(({ source, description }) => ({ source, description: description ?? '' }))
