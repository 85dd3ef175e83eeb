/** Steps that can be undone and done again, the last 100 of them. States are never changed, only replaced. */
export interface Past<T> {
  readonly now: T
  readonly before: readonly T[]
  readonly after: readonly T[]
}

const most = 100

export const pastOf = <T>(now: T): Past<T> => ({ now, before: [], after: [] })

/** A new step; what was undone before it is gone. */
export function step<T>(past: Past<T>, next: T): Past<T> {
  if (JSON.stringify(next) === JSON.stringify(past.now)) return past
  return { now: next, before: [...past.before, past.now].slice(-most), after: [] }
}

export function undo<T>(past: Past<T>): Past<T> {
  const last = past.before.at(-1)
  if (last === undefined) return past
  return { now: last, before: past.before.slice(0, -1), after: [past.now, ...past.after] }
}

export function redo<T>(past: Past<T>): Past<T> {
  const next = past.after[0]
  if (next === undefined) return past
  return { now: next, before: [...past.before, past.now], after: past.after.slice(1) }
}
