import { useEffect, useMemo, useState } from 'preact/hooks'
import { createGroupColours, type GroupColours } from '../../charts/group-colours.ts'
import { search } from '../../lib/address.ts'
import { fixed, moved, type RangeMs, type RangeText, readRange } from '../../lib/range-ends.ts'
import { timeStyle } from '../../lib/time-style.ts'
import { setQuery } from '../../lib/url-state.ts'
import type { Dashboard, VariableValues } from './dashboard-types.ts'
import { variablesOf } from './view-query.ts'

/** What all tiles of a page have in common; all of it is in the address. */
export interface View {
  text: RangeText
  /** The range at the last refresh. */
  range: RangeMs
  timeZone: string | undefined
  where: string
  variables: VariableValues
  /** `30s`; '' = not by itself. */
  every: string
  everyMs: number | null
  /** Counts refreshes. */
  tick: number
  answeredFor: number
  colours: GroupColours
  refresh(): void
  setRange(range: RangeText): void
  zoom(range: RangeMs): void
  move(by: 'earlier' | 'later' | 'out'): void
}

/** `prefix` sets the range of a tile in full screen apart from that of the page. */
export function useView(dashboard: Dashboard, prefix = ''): View {
  const [{ tick, now }, setTick] = useState(() => ({ tick: 0, now: Date.now() }))
  const query = new URLSearchParams(search.value)
  const own = dashboard.timeRange ?? { from: 'now-1h', to: 'now' }
  const text = {
    from: query.get(`${prefix}from`) ?? query.get('from') ?? own.from,
    to: query.get(`${prefix}to`) ?? query.get('to') ?? own.to,
  }
  const tz = query.get('tz')
  const timeZone = tz === 'utc' ? 'UTC' : tz === 'local' ? undefined : timeStyle.value.timeZone
  const every = query.get('refresh') ?? dashboard.refresh ?? ''
  const everyMs = intervalOf(every)
  const colours = useMemo(createGroupColours, [dashboard.id])
  const refresh = () => setTick((last) => ({ tick: last.tick + 1, now: Date.now() }))
  useEffect(() => {
    if (everyMs === null) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refresh()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  const range = useMemo(
    () => readRange(text, now, timeZone) ?? { from: now - 3_600_000, to: now },
    [text.from, text.to, now, timeZone],
  )
  const setRange = (next: RangeText) => {
    // The ends of a relative range begin at the time of the choice.
    refresh()
    setQuery({ [`${prefix}from`]: next.from, [`${prefix}to`]: next.to }, { push: true })
  }
  return {
    ...{ text, range, timeZone, every, everyMs, tick, colours, refresh, setRange, answeredFor: now },
    where: query.get('where') ?? '',
    variables: variablesOf(dashboard.variables ?? [], query),
    zoom: (to) => setRange(fixed(to)),
    move: (by) => setRange(fixed(moved(range, by))),
  }
}

export function intervalOf(every: string): number | null {
  const found = /^(\d{1,6})([smh])$/.exec(every)
  if (!found) return null
  const unit = found[2] === 's' ? 1000 : found[2] === 'm' ? 60_000 : 3_600_000
  return Math.max(5000, Number(found[1]) * unit)
}
