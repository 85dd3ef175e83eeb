/**
 * What changed on the server, as it tells it: one stream of events per tab. While the stream is not open, resources
 * are asked at their own pace instead (api/resource.ts); a stream that opens again after a break makes all of them
 * read once, because the events of the break are lost.
 */
import { signal } from '@preact/signals'
import type { AnyInput, Id } from './operations.ts'

export interface Change {
  resource: string
  id: string
  serviceId: string | null
}

export const isStreaming = signal(false)

/** Opens the stream; it reconnects by itself. Returns the function that closes it. */
export function openChanges(
  organizationId: string,
  listeners: { onChange(change: Change): void; onReopen(): void },
): () => void {
  let wasOpen = false
  const source = new EventSource(`/v1/organizations/${encodeURIComponent(organizationId)}/changes`)
  source.onopen = () => {
    isStreaming.value = true
    if (wasOpen) listeners.onReopen()
    wasOpen = true
  }
  source.onerror = () => {
    isStreaming.value = false
  }
  source.onmessage = ({ data }) => {
    const change = changeOf(String(data))
    if (change) listeners.onChange(change)
  }
  return () => {
    source.close()
    isStreaming.value = false
  }
}

export function changeOf(text: string): Change | null {
  try {
    const { resource, id, serviceId } = JSON.parse(text) as Partial<Change>
    return typeof resource === 'string' && typeof id === 'string'
      ? { resource, id, serviceId: serviceId ?? null }
      : null
  } catch {
    return null
  }
}

/** Nouns of operation ids whose kind of change has another name. */
const kinds: Record<string, readonly string[]> = {
  services: ['service'],
  serviceUsers: ['service'],
  pipes: ['pipe'],
  backups: ['backup'],
  backupConfiguration: ['backup', 'service'],
  backupBucket: ['backup', 'service'],
  organizations: ['organization'],
  quotas: ['organization', 'service'],
  keys: ['key'],
  sessions: ['key'],
  session: ['key', 'organization'],
  queries: ['query'],
  dashboards: ['dashboard'],
  sources: ['source'],
  alerts: ['alert'],
  demo: ['demo'],
  activities: ['service', 'pipe', 'backup', 'key', 'organization'],
  'organizations.pipes': ['pipe'],
  'organizations.backups': ['backup'],
}

/** Whether what this operation read may be different after the change. */
export function concerns(change: Change, id: Id, params: AnyInput['params'] = {}): boolean {
  const noun = id.slice(0, id.indexOf('.'))
  if (!(kinds[id] ?? kinds[noun] ?? []).includes(change.resource)) return false
  const { organizationId: _, ...own } = params
  const given = Object.values(own)
  return given.length === 0 || given.includes(change.id) || given.includes(change.serviceId ?? '')
}
