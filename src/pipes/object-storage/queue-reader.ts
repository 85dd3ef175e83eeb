import { randomUUID } from 'node:crypto'
import type { PipeSettings } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { createBatcher } from './batching.ts'
import type { Glob } from './glob.ts'
import { batchOf } from './list-reader.ts'
import { identityOf } from './names.ts'
import type { SeenState } from './position.ts'
import { createdObjects } from './s3-event.ts'
import type { Seen } from './seen.ts'
import type { Slots } from './slots.ts'
import { hiddenSeconds, type Queue, type QueueMessage } from './sqs-queue.ts'

/**
 * Reads the objects that a queue tells of. A message is deleted after all its objects were committed, and hidden
 * from others until then; one that tells of nothing to read is deleted at once.
 */
export interface QueueReader {
  /** Until the slots' signal aborts. */
  run(): Promise<void>
  readonly objects: number
  readonly ignored: number
  readonly duplicates: number
}

export interface QueueReaderParts {
  queue: Queue
  bucket: string
  glob: Glob
  slots: Slots
  settings: PipeSettings
  seen: Seen
  clock: Clock
  onProgress(): void
}

/** A message and the number of its objects that were not committed yet. */
interface HeldMessage {
  handle: string
  open: number
}

export function createQueueReader(parts: QueueReaderParts): QueueReader {
  const { queue, glob, slots, settings, seen, clock, onProgress } = parts
  for (const text of slots.positions) seen.restore(JSON.parse(text) as SeenState)
  const counts = { objects: 0, ignored: 0, duplicates: 0 }
  const held = new Set<HeldMessage>()
  /** Objects of the batches that are collected or on their way, with the messages that told of them. */
  const begun = new Map<string, HeldMessage[]>()
  let batcher = createBatcher(settings)
  /** The identities of what is in the batcher, also of objects that a later version replaced there. */
  let collected: string[] = []
  let dueMs = Number.POSITIVE_INFINITY

  async function take({ handle, body }: QueueMessage): Promise<boolean> {
    const created = createdObjects(body)
    const matching = created.filter(({ bucket, key, bytes }) => {
      return bucket === parts.bucket && bytes > 0 && glob.matches(key)
    })
    const fresh = matching.filter((object) => !seen.has(object, object.eventMs))
    counts.duplicates += matching.length - fresh.length
    if (matching.length === 0) counts.ignored += 1
    const message = { handle, open: fresh.length }
    if (fresh.length === 0) return false
    held.add(message)
    for (const object of fresh) {
      const identity = identityOf(object)
      const tellers = begun.get(identity)
      if (tellers !== undefined) {
        counts.duplicates += 1
        tellers.push(message)
        continue
      }
      if (!batcher.fits(object)) await cut()
      if (batcher.isEmpty) dueMs = clock.now() + settings.object_storage_polling_interval_ms
      batcher.add(object)
      begun.set(identity, [message])
      collected.push(identity)
    }
    return true
  }

  async function cut(): Promise<void> {
    dueMs = Number.POSITIVE_INFINITY
    if (batcher.isEmpty) return
    const { batch } = batcher
    batcher = createBatcher(settings)
    const objects = [...batch.objects, ...batch.rejected]
    const identities = collected
    collected = []
    await slots.send(
      (position) => {
        const earlier = position === null ? null : (JSON.parse(position) as SeenState)
        // A batch of messages has no place in an order; its id names it.
        return batchOf(randomUUID(), JSON.stringify(seen.queueState(objects, earlier)), batch)
      },
      async () => {
        seen.add(objects)
        counts.objects += batch.objects.length
        await forget(identities)
        onProgress()
      },
    )
  }

  async function forget(identities: readonly string[]): Promise<void> {
    const finished: string[] = []
    for (const identity of identities) {
      for (const message of begun.get(identity) ?? []) {
        message.open -= 1
        if (message.open === 0 && held.delete(message)) finished.push(message.handle)
      }
      begun.delete(identity)
    }
    await queue.remove(finished)
  }

  const hide = async (seconds: number): Promise<void> => {
    const handles = [...held].map(({ handle }) => handle)
    await queue.hide(handles, seconds).catch(() => undefined)
  }

  /** Keeps the messages hidden for as long as their objects are loaded. */
  async function keepHidden(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep((hiddenSeconds * 1_000) / 3, signal)
      // A message that comes again meanwhile is recognized by its objects.
      if (!signal.aborted) await hide(hiddenSeconds)
    }
  }

  async function receive(): Promise<void> {
    while (!slots.signal.aborted) {
      const restMs = dueMs - clock.now()
      if (restMs <= 0) {
        await cut()
        continue
      }
      const waitSeconds = Math.min(20, Math.floor(restMs / 1_000))
      const messages = await queue.receive(waitSeconds, slots.signal)
      const useless: string[] = []
      for (const message of messages) if (!(await take(message))) useless.push(message.handle)
      await queue.remove(useless)
      if (useless.length > 0) onProgress()
      if (messages.length === 0 && waitSeconds === 0) await clock.sleep(restMs, slots.signal)
    }
  }

  return {
    get objects() {
      return counts.objects
    },
    get ignored() {
      return counts.ignored
    },
    get duplicates() {
      return counts.duplicates
    },
    async run() {
      const ended = new AbortController()
      const hiding = keepHidden(ended.signal)
      try {
        await receive().catch((error: unknown) => {
          if (!slots.signal.aborted) throw error
        })
        await slots.drain()
      } finally {
        ended.abort()
        await hiding
        // What is not on its way may be read by others at once.
        await hide(0)
      }
    },
  }
}
