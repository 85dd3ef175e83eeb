import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { makeDirectory, namesIn, syncDirectory } from '../../lib/durable-file.ts'
import { newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/running.ts'
import type { EngineRef } from '../engine.ts'

/**
 * Purged warehouses. Moving a warehouse here is one atomic step, after which nothing can open it by mistake;
 * deleting its files may take long, and continues after a crash.
 */
export interface Trash {
  /** When it resolves, the warehouse is gone, though its files may not be. A missing directory is no error. */
  put(directory: string, ref: EngineRef): Promise<void>
  /** The services whose files are not deleted yet. */
  held(): EngineRef[]
  /** Why the files of this service cannot be deleted; '' = they can. */
  problemOf(serviceId: string): string
  /** Continues the deletions that an earlier process left. */
  resume(): Promise<void>
  close(): Promise<void>
}

export interface TrashOptions {
  path: string
  clock: Clock
  log: Log
  /** Called when a warehouse's files are deleted. */
  deleted(ref: EngineRef): void
  step(name: string): void
}

const retryMs = 5_000

export function createTrash({ path, clock, log, deleted, step }: TrashOptions): Trash {
  const held = new Map<string, EngineRef & { problem: string; work: Promise<void> }>()
  const end = new AbortController()

  function remove(name: string, ref: EngineRef): void {
    const item = { ...ref, problem: '', work: Promise.resolve() }
    held.set(name, item)
    item.work = (async () => {
      while (!end.signal.aborted) {
        try {
          step('delete')
          await rm(join(path, name), { recursive: true, force: true })
          held.delete(name)
          deleted(ref)
          return
        } catch (error) {
          item.problem = (error as NodeJS.ErrnoException).code ?? 'unknown'
          log.warn({ err: error, ...ref }, 'the files of a removed warehouse cannot be deleted, trying again')
          await clock.sleep(retryMs, end.signal)
        }
      }
    })()
  }

  return {
    async put(directory, ref) {
      // The name identifies the service even when most of its files are deleted.
      const name = `${ref.warehouseId}.${ref.serviceId}.${newId().slice(-8)}`
      await makeDirectory(path)
      step('move to the trash')
      try {
        await rename(directory, join(path, name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
        throw error
      }
      step('sync the trash')
      await syncDirectory(path)
      await syncDirectory(join(path, '..'))
      remove(name, ref)
    },
    held: () => [...held.values()].map(({ serviceId, warehouseId }) => ({ serviceId, warehouseId })),
    problemOf: (serviceId) => [...held.values()].find((item) => item.serviceId === serviceId)?.problem ?? '',
    async resume() {
      for (const name of await namesIn(path)) {
        const [warehouseId = '', serviceId = ''] = name.split('.')
        remove(name, { warehouseId, serviceId })
      }
    },
    async close() {
      end.abort()
      await Promise.all([...held.values()].map(({ work }) => work))
    },
  }
}
