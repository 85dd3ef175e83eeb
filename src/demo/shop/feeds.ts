import { metricLines, rowsPerSample, sampleMs } from './metrics.ts'
import { requestLines } from './requests.ts'
import { dayMs, requestsIn, type Shop, slotMs, slotsOf } from './traffic.ts'

export const feedNames = ['requests', 'metrics'] as const
export type FeedName = (typeof feedNames)[number]

/** Rows of one table as a function of time. Spans begin and end with a slot. */
export interface Feed {
  /** The longest span of a file. */
  fileMs: number
  /** The shortest span of a file that is written while the server runs. */
  liveMs(shop: Shop): number
  rows(shop: Shop, fromMs: number, toMs: number): number
  /** Lines of JSON, in pieces. */
  lines(shop: Shop, fromMs: number, toMs: number): Generator<string>
}

export const feeds: Record<FeedName, Feed> = {
  requests: {
    fileMs: dayMs / 4,
    liveMs: () => 6 * slotMs,
    rows(shop, fromMs, toMs) {
      let rows = 0
      for (const slot of slotsOf(fromMs, toMs)) rows += requestsIn(shop, slot)
      return rows
    },
    *lines(shop, fromMs, toMs) {
      for (const slot of slotsOf(fromMs, toMs)) yield requestLines(shop, slot)
    },
  },
  metrics: {
    fileMs: dayMs,
    liveMs: sampleMs,
    rows: (shop, fromMs, toMs) => [...samples(shop, fromMs, toMs)].length * rowsPerSample,
    *lines(shop, fromMs, toMs) {
      for (const timeMs of samples(shop, fromMs, toMs)) yield metricLines(shop, timeMs)
    },
  },
}

function* samples(shop: Shop, fromMs: number, toMs: number): Generator<number> {
  const stepMs = sampleMs(shop)
  for (let timeMs = Math.ceil(fromMs / stepMs) * stepMs; timeMs < toMs; timeMs += stepMs) yield timeMs
}
