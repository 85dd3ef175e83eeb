import type { ResourceChange } from '../../domain/change/types.ts'
import { newId } from '../../lib/ids.ts'
import type { Store } from '../store.ts'
import type { Listen } from './listener.ts'

/** Tells listeners which resources changed, here at once and in other control planes soon after. */
export interface ChangeFeed extends Pick<Store, 'onChange'> {
  /** Called after the change is committed. */
  tell(change: ResourceChange): void
  close(): void
}

/** How other control planes are reached; null = the store has no others. */
export interface ChangeChannel {
  listen: Listen
  notify(text: string): Promise<void>
}

export const changeChannel = 'granary_changes'
/** Changes of this time go out together: a notice serializes PostgreSQL's commits, so there are few of them. */
const gatherMs = 50
/** A notice of PostgreSQL has less than 8000 bytes. */
const changesPerNotice = 30

/** What crosses to another control plane. */
interface Notice {
  from: string
  changes: ResourceChange[]
}

export function createChangeFeed(
  channel: ChangeChannel | null,
  log: { warn(data: object, message: string): void },
): ChangeFeed {
  const self = newId()
  const listeners = new Set<Parameters<Store['onChange']>[0]>()
  const waiting = new Map<string, ResourceChange>()
  let timer: NodeJS.Timeout | undefined

  return {
    tell(change) {
      for (const listener of listeners) listener(change)
      if (!channel) return
      waiting.set(`${change.resource} ${change.id}`, change)
      timer ??= setTimeout(send, gatherMs).unref()
    },
    onChange(listener) {
      listeners.add(listener)
      const end = channel?.listen(changeChannel, (text) => hear(text, listener))
      return () => {
        listeners.delete(listener)
        end?.()
      }
    },
    close: () => clearTimeout(timer),
  }

  function send(): void {
    timer = undefined
    const changes = [...waiting.values()]
    waiting.clear()
    for (let start = 0; start < changes.length; start += changesPerNotice) {
      const notice: Notice = { from: self, changes: changes.slice(start, start + changesPerNotice) }
      channel
        ?.notify(JSON.stringify(notice))
        .catch((error: unknown) => log.warn({ err: error }, 'others could not be told of changes'))
    }
  }

  function hear(text: string | null, listener: (change: ResourceChange | null) => void): void {
    const notice = text === null ? null : readNotice(text)
    if (notice === null) listener(null)
    else if (notice.from !== self) for (const change of notice.changes) listener(change)
  }
}

/** Null = a control plane of another version sent what this one does not understand. */
function readNotice(text: string): Notice | null {
  try {
    const notice = JSON.parse(text) as Notice
    return Array.isArray(notice.changes) ? notice : null
  } catch {
    return null
  }
}
