import type { Clock } from '../../lib/clock.ts'
import type { ReadTask, SourceKind } from '../source.ts'
import { checkObjectStorage } from './check.ts'
import { compileGlob } from './glob.ts'
import { createLateCounter } from './late.ts'
import { createListReader } from './list-reader.ts'
import { type ObjectStorageLimits, objectStorageOf, openStore } from './open-store.ts'
import type { ListPosition } from './position.ts'
import { createQueueReader } from './queue-reader.ts'
import { createSeen } from './seen.ts'
import { takeSlots } from './slots.ts'
import { openQueue } from './sqs-queue.ts'

export interface ObjectStorageParts extends ObjectStorageLimits {
  clock: Clock
}

/**
 * Object storage as a source: the worker lists the objects, puts them in order and cuts batches, of which it knows
 * names only. The engine reads the bytes (`reading.ts`). Of several workers one lists, and the others stand by.
 */
export function createObjectStorage(parts: ObjectStorageParts): SourceKind {
  return {
    check: (pipe, wanted) => checkObjectStorage(pipe, wanted, parts),
    read: (task) => readObjectStorage(task, parts),
    async remove() {
      // The source holds nothing of the pipe: positions are in the journal.
    },
  }
}

async function readObjectStorage(
  task: ReadTask,
  parts: ObjectStorageParts,
): Promise<'completed' | 'stopped'> {
  const opened = await openStore(task.pipe, parts)
  try {
    const { queueUrl } = objectStorageOf(task.pipe.source)
    if (queueUrl !== '') return await readQueue(task, parts, opened)
    return await readList(task, parts, opened)
  } finally {
    opened.store.close()
  }
}

type OpenedStore = Awaited<ReturnType<typeof openStore>>

async function readList(
  task: ReadTask,
  { clock }: ObjectStorageParts,
  { store, place }: OpenedStore,
): Promise<'completed' | 'stopped'> {
  const { pipe, signal } = task
  const { isContinuous, startAfter } = objectStorageOf(pipe.source)
  const { settings } = pipe
  const slots = await takeSlots({ task, clock, ...standing(task), name: 'objects', count: slotsOf(task) })
  if (slots === null) return 'stopped'
  const glob = compileGlob(place.pattern)
  const late = createLateCounter({ store, glob, clock, startAfter })
  let isAtEnd = false
  const onProgress = () => {
    const lag = isAtEnd ? { records: 0, ms: 0 } : { records: null, ms: null }
    const facts = { lastObject: list.cursor, objectsRead: list.objects, lateObjects: late.count }
    task.report({ lag, waiting: '', facts })
  }
  const list = createListReader({ store, glob, slots, settings, startAfter, seen: null, onProgress })
  try {
    for (;;) {
      isAtEnd = false
      await list.pass()
      if (!isContinuous) break
      await late.step(list.cursor, slots.signal)
      isAtEnd = true
      onProgress()
      await clock.sleep(settings.object_storage_polling_interval_ms, slots.signal)
      if (slots.signal.aborted) break
    }
    await slots.drain()
    return signal.aborted ? 'stopped' : 'completed'
  } catch (error) {
    if (!signal.aborted) throw error
    return 'stopped'
  } finally {
    await slots.release()
  }
}

async function readQueue(
  task: ReadTask,
  parts: ObjectStorageParts,
  { store, place, keys }: OpenedStore,
): Promise<'completed' | 'stopped'> {
  const { clock, egress } = parts
  const { pipe, signal } = task
  const { queueUrl, skipInitialLoad, startAfter } = objectStorageOf(pipe.source)
  const { settings } = pipe
  const glob = compileGlob(place.pattern)
  const seen = createSeen(clock.now)
  const shared = { glob, settings, seen }
  // The queue is read only after the first load, so a committed lane of the queue tells that the load is done.
  const lanes = await task.lanes()
  const isLoaded = skipInitialLoad || lanes.some(({ name }) => name.startsWith('queue/'))
  for (const { name, position } of lanes) {
    const state = name.startsWith('objects/') ? (JSON.parse(position) as ListPosition).seen : undefined
    if (state !== undefined) seen.restore(state)
  }
  let loaded = 0
  if (!isLoaded) {
    const slots = await takeSlots({ task, clock, ...standing(task), name: 'objects', count: slotsOf(task) })
    if (slots === null) return 'stopped'
    const onProgress = () => task.report({ ...reading, facts: { objectsRead: list.objects } })
    const list = createListReader({ store, slots, startAfter, onProgress, ...shared })
    try {
      await list.pass()
      await slots.drain()
      loaded = list.objects
    } catch (error) {
      if (!signal.aborted) throw error
      return 'stopped'
    } finally {
      await slots.release()
    }
  }
  const slots = await takeSlots({ task, clock, ...standing(task), name: 'queue', count: slotsOf(task) })
  if (slots === null) return 'stopped'
  const queue = await openQueue(queueUrl, keys, egress)
  const onProgress = () => {
    const { objects, ignored, duplicates } = reader
    const facts = { objectsRead: loaded + objects, ignoredMessages: ignored, duplicateMessages: duplicates }
    task.report({ ...reading, facts })
  }
  const bucket = place.kind === 'bucket' ? place.bucket : ''
  const reader = createQueueReader({ queue, bucket, slots, clock, onProgress, ...shared })
  try {
    onProgress()
    await reader.run()
    return 'stopped'
  } catch (error) {
    if (!signal.aborted) throw error
    return 'stopped'
  } finally {
    await slots.release()
    queue.close()
  }
}

const reading = { lag: { records: null, ms: null }, waiting: '' }

const slotsOf = ({ pipe }: ReadTask): number => pipe.settings.object_storage_concurrency

const standing = (task: ReadTask) => ({
  onWait: () => task.report({ ...reading, waiting: 'another worker reads the list', facts: {} }),
})
