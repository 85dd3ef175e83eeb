/**
 * What the server said, kept by operation and input. Readers of the same thing share one entry and one request; an
 * entry is refreshed while somebody reads it, and kept for a while after, so that a page that is opened again shows
 * the last known data at once. An answer replaces the data only when it is there; an error leaves the data.
 */
import { type ReadonlySignal, signal } from '@preact/signals'
import { type ApiError, toApiError } from './api-error.ts'
import type { AnyInput, Id } from './operations.ts'

/** `fast`: something is on its way or a rate is shown. `slow`: the rest. `still`: it does not change by itself. */
export type Pace = 'fast' | 'slow' | 'still'

export interface Resource<T> {
  /** undefined until the first answer. */
  data: ReadonlySignal<T | undefined>
  /** Why the last try failed; null after a good one. */
  error: ReadonlySignal<ApiError | null>
  /** No answer and no error yet. */
  isLoading: ReadonlySignal<boolean>
  /** When the data was answered, in milliseconds; null before. */
  answeredAt: ReadonlySignal<number | null>
  reload(): Promise<void>
}

export interface Entry<T = unknown> extends Resource<T> {
  id: Id
  input: AnyInput
  /** Counts as a reader until the returned function is called. The fastest reader decides the pace. */
  retain(pace: (data: T | undefined) => Pace): () => void
}

export interface ResourcesOptions {
  load(id: Id, input: AnyInput): Promise<unknown>
  /** Milliseconds between two requests of this pace; null = none by itself. */
  intervalOf(pace: Pace): number | null
  /** False in a hidden tab, and while the server is away. */
  mayAsk(): boolean
  now?(): number
  /** Entries that nobody reads are kept up to this number, the newest first. */
  keep?: number
}

export interface Resources {
  entry(id: Id, input: AnyInput): Entry
  /** Reads again what is in use and fits. */
  refresh(fits?: (entry: Entry) => boolean): void
  clear(): void
}

export function createResources(options: ResourcesOptions): Resources {
  const { keep = 60, now = Date.now } = options
  const entries = new Map<string, Entry & { readers: number; drop(): void }>()

  return {
    entry(id, input) {
      const key = JSON.stringify([id, input.params, input.query, input.body])
      const known = entries.get(key)
      if (known) {
        // Moves to the end: the map is in order of use.
        entries.delete(key)
        entries.set(key, known)
        return known
      }
      const made = createEntry(id, input)
      entries.set(key, made)
      for (const [old, entry] of entries) {
        if (entries.size <= keep) break
        if (entry.readers === 0 && entry !== made) {
          entry.drop()
          entries.delete(old)
        }
      }
      return made
    },
    refresh(fits = () => true) {
      for (const entry of entries.values()) if (entry.readers > 0 && fits(entry)) void entry.reload()
    },
    clear() {
      for (const entry of entries.values()) entry.drop()
      entries.clear()
    },
  }

  function createEntry(id: Id, input: AnyInput) {
    const data = signal<unknown>(undefined)
    const error = signal<ApiError | null>(null)
    const isLoading = signal(true)
    const answeredAt = signal<number | null>(null)
    const paces = new Set<(data: unknown) => Pace>()
    let running: Promise<void> | null = null
    let isStale = false
    let timer: ReturnType<typeof setTimeout> | undefined

    const ask = async (): Promise<void> => {
      try {
        const answer = await options.load(id, input)
        if (JSON.stringify(answer) !== JSON.stringify(data.value)) data.value = answer
        answeredAt.value = now()
        error.value = null
      } catch (thrown) {
        error.value = toApiError(thrown)
      }
      isLoading.value = false
    }

    /** A request that comes while one runs is answered by one more after it: the running one may be too old. */
    const reload = (): Promise<void> => {
      if (running !== null) {
        isStale = true
        return running
      }
      clearTimeout(timer)
      running = (async () => {
        do {
          isStale = false
          await ask()
        } while (isStale)
        running = null
        schedule()
      })()
      return running
    }

    const schedule = (): void => {
      clearTimeout(timer)
      const intervals = [...paces].map((pace) => options.intervalOf(pace(data.value)))
      const least = Math.min(...intervals.filter((interval) => interval !== null))
      if (!Number.isFinite(least)) return
      timer = setTimeout(() => {
        if (options.mayAsk()) void reload()
        else schedule()
      }, least)
    }

    const entry = {
      ...{ id, input, data, error, isLoading, answeredAt, reload },
      readers: 0,
      retain(pace: (data: unknown) => Pace) {
        const own = (current: unknown): Pace => pace(current)
        paces.add(own)
        entry.readers += 1
        if (entry.readers === 1) void reload()
        return () => {
          paces.delete(own)
          entry.readers -= 1
          if (entry.readers === 0) clearTimeout(timer)
        }
      },
      drop: () => clearTimeout(timer),
    }
    return entry
  }
}
