import { lookAt, type TableLook, type TableRef } from './cache/table-watch.ts'
import type { RunStatement } from './run-statement.ts'

/**
 * Looks at tables. Everybody who asks gets a look that began after they asked, so it shows what was written before; all
 * who ask while another look runs share the next one.
 */
export function createLooks(run: RunStatement): (ref: TableRef) => Promise<TableLook | null> {
  const running = new Map<string, { current: Promise<unknown>; next: Promise<TableLook | null> | null }>()
  const signal = new AbortController().signal

  return (ref) => {
    const key = [ref.serviceId, ref.database, ref.table].join('\0')
    const look = (): Promise<TableLook | null> => lookAt(run, ref, { principal: 'tile:look', signal })
    const state = running.get(key)
    if (state) {
      state.next ??= state.current.then(() => begin())
      return state.next
    }
    return begin()

    function begin(): Promise<TableLook | null> {
      const looking = look()
      const current = looking.then(
        () => {},
        () => {},
      )
      const state = { current, next: null }
      running.set(key, state)
      void current.then(() => {
        if (running.get(key) === state && state.next === null) running.delete(key)
      })
      return looking
    }
  }
}
