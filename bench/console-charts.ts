/**
 * Dashboards in a browser whose tiles are answered by the page itself: what is measured is the console, not a server.
 * The answers wait until they are released; strokes on canvases tell when charts are drawn.
 */
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { TestServer } from '../test/support/server.ts'

const charts = 12

/** A dashboard of charts over time; returns its id. */
export async function createCharts({ url, credentials }: TestServer): Promise<string> {
  const series = [{ type: 'time', dataSource: 'events', aggFn: 'count', where: '', groupBy: ['host'] }]
  const tiles = Array.from({ length: charts }, (_, i) => ({
    ...{ name: `Chart ${i + 1}`, x: (i % 4) * 6, y: Math.floor(i / 4) * 5, w: 6, h: 5, series },
  }))
  const answer = await fetch(`${url}/api/v2/dashboards`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.dashboardToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Charts', tiles }),
  })
  const { data } = (await answer.json()) as { data?: { id: string } }
  if (!data) throw new Error(`the dashboard was refused with ${answer.status}`)
  return data.id
}

/** Answers the tiles of the pages that are opened next with so many groups and points. */
export const answerTiles = (page: Page, { groups, points }: { groups: number; points: number }) =>
  page.addInitScript(`(${answering})(${groups}, ${points})`)

/** Milliseconds from the release of the answers to the last stroke, and those to draw all charts anew. */
export async function drawCharts(page: Page, groups: number): Promise<{ answered: number; drawn: number }> {
  const strokes = charts * groups
  await until(page, 'bench.asked > 0')
  await page.evaluate('bench.begin(); bench.release()')
  const answered = await lastStroke(page, strokes)
  // The colours of the other theme: every line is drawn anew, from the data that is there.
  await page.evaluate(`bench.begin(); document.documentElement.dataset['theme'] = 'light'`)
  return { answered, drawn: await lastStroke(page, strokes) }
}

/** When nothing was drawn for a while after at least so many strokes. */
async function lastStroke(page: Page, atLeast: number): Promise<number> {
  await until(page, `bench.strokes >= ${atLeast}`)
  for (let before = -1; ; ) {
    const [strokes, ms] = await page.evaluate<[number, number]>('[bench.strokes, bench.last - bench.began]')
    if (strokes === before) return ms
    before = strokes
    await setTimeout(1000)
  }
}

async function until(page: Page, condition: string): Promise<void> {
  while (!(await page.evaluate<boolean>(condition))) await setTimeout(100)
}

/** Runs in the page. */
const answering = `(groups, points) => {
  const bench = (window.bench = { asked: 0, strokes: 0, began: 0, last: 0 })
  bench.begin = () => Object.assign(bench, { began: performance.now(), strokes: 0 })
  const released = new Promise((release) => Object.assign(bench, { release }))
  const stroke = CanvasRenderingContext2D.prototype.stroke
  CanvasRenderingContext2D.prototype.stroke = function (...given) {
    stroke.apply(this, given)
    bench.strokes += 1
    bench.last = performance.now()
  }
  let answer = ''
  const textOf = ({ startTime, endTime }) => {
    const step = (endTime - startTime) / points
    const data = []
    for (let group = 0; group < groups; group += 1)
      for (let point = 0; point < points; point += 1)
        data.push({
          ts_bucket: Math.round(startTime + point * step),
          group: ['host-' + group],
          'series_0.data': group + Math.sin(point / 40 + group) * 3,
        })
    const stats = { elapsedMs: 1, rowsRead: data.length, bytesRead: data.length, cached: false }
    const meta = { type: 'time', startTime, endTime, series: [{ name: 'count' }], groups: { shown: groups, hidden: 0 } }
    return JSON.stringify({ data, meta: { ...meta, where: [], sql: [], stats, woken: false } })
  }
  const ask = window.fetch
  window.fetch = async (url, init) => {
    if (!/\\/tiles\\/[^/]+\\/query$/.test(String(url))) return ask(url, init)
    answer ||= textOf(JSON.parse(init.body))
    bench.asked += 1
    await released
    return new Response(answer, { headers: { 'content-type': 'application/x-ndjson' } })
  }
}`
