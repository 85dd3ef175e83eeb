/**
 * What changed on the server, as it tells it: one stream of events for all tabs (change-stream.ts). While the stream is
 * not open, resources are asked at their own pace instead (api/resource.ts); a stream that opens again after a break
 * makes all of them read once, because the events of the break are lost.
 */
import { signal } from '@preact/signals'
import { followStream } from './change-stream.ts'
import type { AnyInput, Id } from './operations.ts'

export interface Change {
  resource: string
  id: string
  serviceId: string | null
}

export const isStreaming = signal(false)

/** Follows the stream; it reconnects by itself. Tabs with the same session share one. Returns the function that ends it. */
export function openChanges(
  { organizationId, keyId }: { organizationId: string; keyId: string },
  listeners: { onChange(change: Change): void; onReopen(): void },
): () => void {
  let wasOpen = false
  const url = `/v1/organizations/${encodeURIComponent(organizationId)}/changes`
  const end = followStream(url, `changes ${organizationId} ${keyId}`, (news) => {
    if (news.kind === 'event') {
      const change = changeOf(news.data)
      if (change) listeners.onChange(change)
      return
    }
    isStreaming.value = news.kind !== 'lost'
    if (news.kind === 'opened' && wasOpen) listeners.onReopen()
    wasOpen ||= isStreaming.value
  })
  return () => {
    end()
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
