import { computed, type ReadonlySignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { navigate, search } from './address.ts'
import { withQuery } from './query.ts'

export interface QueryValue {
  /** The value in the address, or the fallback. */
  readonly value: string
  readonly signal: ReadonlySignal<string>
  /** The fallback is not written into the address. Changes while typing replace the entry of the history. */
  set(value: string, options?: { push?: boolean }): void
}

/** One value of the address' query as state of a page. */
export function useQuery(name: string, fallback = ''): QueryValue {
  return useMemo(() => {
    const value = computed(() => new URLSearchParams(search.value).get(name) ?? fallback)
    return {
      get value() {
        return value.value
      },
      signal: value,
      set(next, { push = false } = {}) {
        if (next !== value.peek()) setQuery({ [name]: next === fallback ? null : next }, { push })
      },
    }
  }, [name, fallback])
}

/** Changes several values at once. */
export function setQuery(changes: Record<string, string | null>, { push = false } = {}): void {
  const query = withQuery(search.peek(), changes)
  void navigate(`${location.pathname}${query}${location.hash}`, { replace: !push })
}
