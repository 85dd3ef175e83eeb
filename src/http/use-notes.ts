import type { Clock } from '../lib/clock.ts'

export interface UseNoteOptions {
  clock: Clock
  touch(id: string, minuteMs: number): Promise<void>
  onError(error: unknown): void
}

/** Notes when something was last used: accurate to the minute, so that a busy caller costs one write a minute. */
export type UseNotes = (id: string, lastMs: number | null) => void

/** A note never delays the request. */
export function createUseNotes({ clock, touch, onError }: UseNoteOptions): UseNotes {
  const noted = new Map<string, number>()
  return (id, lastMs) => {
    const minute = Math.floor(clock.now() / 60_000) * 60_000
    if (lastMs === minute || noted.get(id) === minute) return
    if (noted.size > 10_000) noted.clear()
    noted.set(id, minute)
    touch(id, minute).catch(onError)
  }
}
