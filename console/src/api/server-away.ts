/**
 * Whether the server answers. After a call that met no server, `/healthz` is asked after 1, 2, 4, 8 and then every
 * 15 s; when it answers, `onReturn` listeners read their data again. Meanwhile nothing else is asked.
 */
import { signal } from '@preact/signals'
import { retryDelayMs } from '../lib/backoff.ts'

export interface Away {
  /** When the first call failed. */
  since: number
  /** When it is tried again; null = it is being tried now. */
  retryAt: number | null
}

/** null = the server answered the last call. */
export const away = signal<Away | null>(null)

const listeners = new Set<() => void>()
let attempt = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Returns the function that ends the listening. */
export function onReturn(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function markAway(): void {
  if (away.value) return
  attempt = 0
  schedule(Date.now())
}

/** Any answer, also one that refuses, shows that the server is there. */
export function markAnswered(): void {
  if (!away.value) return
  clearTimeout(timer)
  away.value = null
  for (const listener of [...listeners]) listener()
}

export async function retryNow(): Promise<void> {
  const current = away.value
  if (!current) return
  clearTimeout(timer)
  away.value = { ...current, retryAt: null }
  const isThere = await fetch('/healthz', { cache: 'no-store' }).then(
    (answer) => answer.ok,
    () => false,
  )
  if (isThere) markAnswered()
  else if (away.value) schedule(current.since)
}

function schedule(since: number): void {
  const delay = retryDelayMs(attempt)
  attempt += 1
  away.value = { since, retryAt: Date.now() + delay }
  timer = setTimeout(() => void retryNow(), delay)
}
