/**
 * Streams of changes. Each reader has a queue of its own that holds a resource once, however often it changed, so a
 * queue grows with what there is and not with what happens. A reader that leaves its queue full, or untouched for a
 * minute, is cut off; it reads everything again when it comes back, as after any other loss of its connection.
 */
import { setImmediate } from 'node:timers/promises'
import { type ChangedResource, maySee, type ResourceChange } from '../domain/change/types.ts'
import { AppError } from '../domain/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Caller, ControlContext } from './context.ts'

export interface ChangeHub {
  /** Null = some changes may have been lost: all readers are cut off, so that they read everything again. */
  tell(change: ResourceChange | null): void
  /** Throws 429 when the key has too many streams. */
  open(reader: Reader): ChangeQueue
  /** How many streams are open. */
  count(): number
}

export interface Reader {
  caller: Caller
  /** Closes the connection of a reader that does not take what it is sent. */
  hangUp(): void
}

export interface ChangeQueue {
  /** Resolves when there is something to do, after `waitMs`, or when the signal aborts. */
  wait(waitMs: number, signal: AbortSignal): Promise<void>
  /** Empties the queue. */
  take(): ResourceChange[]
  /** Whether the key of the reader has changed since the last call. */
  keyChanged(): boolean
  /** Filters by this key from now on. */
  follow(caller: Caller): void
  close(): void
}

export interface ChangeView {
  resource: ChangedResource
  id: string
  serviceId: string | null
  version: number
}

const streamsPerKey = 100
const queueLimit = 1_000
const stalledMs = 60_000
const heartbeatMs = 15_000
/** How long a reader may take for the end of its stream when the server stops. */
const farewellMs = 1_000

export function createChangeHub(clock: Clock): ChangeHub {
  const byOrganization = new Map<string, Set<Open>>()
  const byKey = new Map<string, number>()

  return {
    tell(change) {
      if (change) for (const open of byOrganization.get(change.organizationId) ?? []) open.offer(change)
      else for (const streams of byOrganization.values()) for (const open of streams) open.hangUp()
    },
    count: () => [...byKey.values()].reduce((sum, count) => sum + count, 0),
    open(reader) {
      const { caller } = reader
      const { organizationId, id: keyId } = caller.key
      const count = (byKey.get(keyId) ?? 0) + 1
      if (count > streamsPerKey)
        throw new AppError(
          'TOO_MANY_REQUESTS',
          `a key may have ${streamsPerKey} streams of changes at a time`,
          { headers: { 'retry-after': '15' } },
        )
      byKey.set(keyId, count)
      const open = createQueue(clock, caller, () => reader.hangUp())
      const streams = byOrganization.get(organizationId) ?? new Set()
      byOrganization.set(organizationId, streams.add(open))
      return { ...open, close }

      function close(): void {
        if (!streams.delete(open)) return
        if (streams.size === 0) byOrganization.delete(organizationId)
        const left = (byKey.get(keyId) ?? 1) - 1
        if (left === 0) byKey.delete(keyId)
        else byKey.set(keyId, left)
      }
    },
  }
}

interface Open extends Omit<ChangeQueue, 'close'> {
  offer(change: ResourceChange): void
  hangUp(): void
}

function createQueue(clock: Clock, first: Caller, hangUp: () => void): Open {
  let caller = first
  let queued = new Map<string, ResourceChange>()
  let oldestAtMs = 0
  let isKeyChanged = false
  let wake = () => {}
  return {
    hangUp,
    offer(change) {
      if (change.resource === 'key' && change.id === caller.key.id) {
        isKeyChanged = true
        wake()
      }
      if (!maySee(caller.key, change)) return
      if (queued.size === 0) oldestAtMs = clock.now()
      queued.set(`${change.resource} ${change.id}`, change)
      if (queued.size > queueLimit || clock.now() - oldestAtMs > stalledMs) return hangUp()
      wake()
    },
    async wait(waitMs, signal) {
      if (queued.size > 0 || isKeyChanged || signal.aborted) return
      const rung = new AbortController()
      wake = () => rung.abort()
      await clock.sleep(waitMs, AbortSignal.any([signal, rung.signal]))
      wake = () => {}
    },
    take() {
      const taken = [...queued.values()]
      queued = new Map()
      return taken
    },
    keyChanged() {
      const was = isKeyChanged
      isKeyChanged = false
      return was
    },
    follow(next) {
      caller = next
    },
  }
}

export interface ChangesCall extends Reader {
  readonly signal: AbortSignal
  /** Checks the credential of the request again; rejects when it is not accepted any more. */
  authenticate(): Promise<Caller>
}

/** The changes that the caller may see, as they happen; null = nothing happened for a while. */
export async function* watchChanges(
  { changes, clock }: ControlContext,
  call: ChangesCall,
): AsyncGenerator<ChangeView | null> {
  const { signal } = call
  const queue = changes.open(call)
  const ended = new AbortController()
  signal.addEventListener('abort', farewell, { once: true })
  try {
    // The first piece carries the headers to the reader.
    yield null
    for (let seenAtMs = clock.now(); !signal.aborted; ) {
      await queue.wait(heartbeatMs - (clock.now() - seenAtMs), signal)
      if (signal.aborted) return
      const isDue = clock.now() - seenAtMs >= heartbeatMs
      const isKeyChanged = queue.keyChanged()
      // The caches of keys learn of a change right after the commit that told this stream.
      if (isKeyChanged) await setImmediate()
      if (isKeyChanged || isDue) queue.follow(await call.authenticate())
      if (isDue) {
        seenAtMs = clock.now()
        yield null
      }
      for (const { resource, id, serviceId, version } of queue.take())
        yield { resource, id, serviceId, version }
    }
  } finally {
    ended.abort()
    signal.removeEventListener('abort', farewell)
    queue.close()
  }

  /** A reader that takes nothing never sees the end of its stream, and would delay a shutdown. */
  async function farewell(): Promise<void> {
    await clock.sleep(farewellMs, ended.signal)
    if (!ended.signal.aborted) call.hangUp()
  }
}
