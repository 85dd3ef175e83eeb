import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { launchChromium } from '../console/test/rig/chromium.ts'
import { openContext, signIn } from '../console/test/rig/context.ts'
import { startServer } from '../test/support/server.ts'
import { answerTiles, createCharts, drawCharts } from './console-charts.ts'
import { median } from './load.ts'
import type { Bench } from './main.ts'

const coldLoads = 5
/** Groups and points of each chart. */
const drawn = { groups: 50, points: 1000 }
const kept = { groups: 5, points: 60 }
/** Each lets ten seconds of the page's clock pass, so that everything that refreshes does. After the warm ones all code is compiled. */
const refreshes = { warm: 400, measured: 500 }

/** The budgets of the console: what the first load costs, charts, and what a dashboard keeps that stays open. */
export const consoleBench: Bench = {
  name: 'console: first load, charts, and a dashboard that stays open',
  notes: ['the times count where nothing else uses the machine'],
  async run() {
    const server = await startServer({ env: { GRANARY_CONSOLE: 'on' } })
    const browser = await launchChromium()
    try {
      while ((await fetch(server.url)).status === 503) await setTimeout(100)
      const cookie = await signIn(server)
      const open = async () => {
        const context = await openContext(browser, server.url)
        await context.addCookies([cookie])
        return context.newPage()
      }
      const load = async () => {
        const page = await open()
        const files = new Map<string, Promise<Buffer>>()
        page.on('response', (response) => {
          if (/\.(js|css)$/.test(response.url())) files.set(response.url(), response.body())
        })
        await page.goto('/')
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        return { page, files, ms: await page.evaluate<number>('performance.now()') }
      }

      const times: number[] = []
      const kilobytes = { js: 0, css: 0 }
      for (let round = 0; round < coldLoads; round += 1) {
        const { page, files, ms } = await load()
        times.push(ms)
        for (const kind of ['js', 'css'] as const) kilobytes[kind] = await gzippedKb(files, `.${kind}`)
        await page.context().close()
      }

      const dashboard = `/dashboards/${await createCharts(server)}`
      const many = await open()
      await answerTiles(many, drawn)
      await many.goto(dashboard)
      const charts = await drawCharts(many, drawn.groups)
      await many.context().close()

      const page = await open()
      await answerTiles(page, kept)
      await page.clock.install()
      await page.goto(`${dashboard}?kiosk=1&refresh=10s`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.evaluate('bench.release()')
      const heapMb = await openHeap(page)
      await refresh(page, refreshes.warm)
      const before = await heapMb()
      await refresh(page, refreshes.measured)
      const after = await heapMb()
      return [
        {
          what: 'JavaScript of the first load, gzip',
          value: kilobytes.js,
          unit: 'KB',
          target: { atMost: 150 },
        },
        {
          what: 'style sheets of the first load, gzip',
          value: kilobytes.css,
          unit: 'KB',
          target: { atMost: 15 },
        },
        {
          what: `interactive, cold, median of ${coldLoads}`,
          value: median(times),
          unit: 'ms',
          target: { atMost: 1000 },
        },
        {
          what: `12 charts of ${drawn.groups} lines with ${drawn.points} points, drawn`,
          value: charts.drawn,
          unit: 'ms',
          target: { atMost: 500 },
        },
        { what: 'the same, from answers in JSON', value: charts.answered, unit: 'ms' },
        { what: 'heap of a dashboard in kiosk', value: after, unit: 'MB', target: { atMost: 80 } },
        {
          what: `growth over ${refreshes.measured} refreshes`,
          value: after - before,
          unit: 'MB',
          target: { atMost: 0.5 },
        },
      ]
    } finally {
      await browser.close()
      await server.stop()
    }
  },
}

async function gzippedKb(files: ReadonlyMap<string, Promise<Buffer>>, ending: string): Promise<number> {
  const own = [...files].filter(([url]) => url.endsWith(ending)).map(([, body]) => body)
  const sizes = (await Promise.all(own)).map((body) => gzipSync(body, { level: 9 }).length)
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}

async function refresh(page: Page, times: number): Promise<void> {
  for (let round = 0; round < times; round += 1) await page.clock.fastForward(10_000)
}

/** One session, looked through once: what looking takes itself is no growth of the page. */
async function openHeap(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  const heapMb = async () => {
    // What one collection sets free, such as nodes of the page, is collected by the next.
    for (let times = 0; times < 3; times++) await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    return usedSize / 1e6
  }
  await heapMb()
  return heapMb
}
