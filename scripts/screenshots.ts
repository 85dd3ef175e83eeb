// Pictures of every page from the running product: npm run screenshots -- <folder> [part of a page's name …]
// With --docs the chosen few for the README go to docs/images, as WebP. The exit code is 1 when a page did something
// wrong while it was drawn.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { launchChromium } from '../console/test/rig/chromium.ts'
import { openContext, signIn } from '../console/test/rig/context.ts'
import { watchPage } from '../console/test/rig/watch-page.ts'
import { routes } from '../src/api/routes.ts'
import { startWarehouse, type Warehouse } from '../test/support/warehouse.ts'

interface Demo {
  serviceId: string
  pipeId: string
  dashboardId: string
}

/** Name and path of each page; those of a thing need the demo, which has one of each. */
const plainPages: Record<string, string> = {
  overview: '/',
  'new-service': '/services/new',
  pipes: '/pipes',
  backups: '/backups',
  dashboards: '/dashboards',
  'import-dashboard': '/dashboards/import',
  alerts: '/alerts',
  sources: '/sources',
  activity: '/activity',
  keys: '/keys',
  settings: '/settings',
  'not-found': '/nowhere',
}

const demoPages = ({ serviceId, pipeId, dashboardId }: Demo, tileId: string): Record<string, string> => ({
  service: `/services/${serviceId}`,
  tables: `/services/${serviceId}/tables`,
  'service-pipes': `/services/${serviceId}/pipes`,
  'service-backups': `/services/${serviceId}/backups`,
  access: `/services/${serviceId}/access`,
  'new-pipe': `/services/${serviceId}/pipes/new/kafka`,
  pipe: `/services/${serviceId}/pipes/${pipeId}`,
  sql: `/sql/${serviceId}`,
  dashboard: `/dashboards/${dashboardId}`,
  kiosk: `/dashboards/${dashboardId}?kiosk=1`,
  'edit-dashboard': `/dashboards/${dashboardId}/edit`,
  'tile-editor': `/dashboards/${dashboardId}/tiles/${tileId}`,
})

const looks = [
  { name: 'dark', scheme: 'dark', width: 1440 },
  { name: 'light', scheme: 'light', width: 1440 },
  { name: 'dark-phone', scheme: 'dark', width: 390 },
  { name: 'light-phone', scheme: 'light', width: 390 },
] as const

/** For the README; all together at most this large. */
const chosen = [
  'overview-dark',
  'dashboard-dark',
  'dashboard-light',
  'sql-light',
  'service-dark',
  'dashboard-dark-phone',
]
const mostBytes = 1_500_000
const docsFolder = 'docs/images'

const given = process.argv.slice(2)
const forDocs = given.includes('--docs')
const [folder = forDocs ? docsFolder : 'node_modules/.cache/screenshots', ...wanted] = given.filter(
  (text) => text !== '--docs',
)
const ends: (() => unknown)[] = []
try {
  await main()
} finally {
  for (const end of ends.reverse()) await end()
}

async function main(): Promise<void> {
  const after = (end: () => unknown) => void ends.push(end)
  const warehouse = await startWarehouse({ after }, { tier: 'SCALE', env: { GRANARY_CONSOLE: 'on' } })
  const { server } = warehouse
  while ((await fetch(server.url)).status === 503) await setTimeout(100)
  const browser = await launchChromium()
  after(() => browser.close())
  const cookie = await signIn(server)
  mkdirSync(folder, { recursive: true })
  let bytes = 0

  /** One window for each look; each page is opened in it in turn. */
  async function draw(pages: Record<string, string>, signedIn = true): Promise<void> {
    for (const look of looks) {
      const context = await openContext(browser, server.url, look)
      if (signedIn) await context.addCookies([cookie])
      for (const [name, path] of Object.entries(pages)) {
        const picture = `${name}-${look.name}`
        if (forDocs ? !chosen.includes(picture) : !isWanted(name)) continue
        const page = await context.newPage()
        const watch = await watchPage(page, server.url)
        await page.goto(path)
        await settle(page)
        bytes += await take(page, join(folder, picture))
        await page.close()
        for (const problem of watch.problems()) console.error(`${picture}: ${problem}`)
        if (watch.problems().length > 0) process.exitCode = 1
      }
      await context.close()
    }
  }

  await draw({ 'sign-in': '/sign-in' }, false)
  await draw({ 'first-run': '/' })
  const demo = await startDemo(warehouse)
  if (!demo) console.error('the demo is not part of this server: pages of a service are left out')
  await draw({ ...plainPages, ...(demo ? demoPages(demo, await firstTile(warehouse, demo)) : {}) })
  console.log(`${Math.round(bytes / 1000)} kB of pictures in ${resolve(folder)}`)
  if (forDocs && bytes > mostBytes)
    throw new Error(`the pictures of the documentation exceed ${mostBytes} bytes`)
}

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((part) => name.includes(part))
}

/** Waits until the page shows its data: nothing is busy, the typeface is there, and two frames were drawn. */
async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.evaluate('document.fonts.ready.then(() => 0)')
  for (let quiet = 0, round = 0; quiet < 5 && round < 150; round += 1) {
    const isBusy = (await page.locator('[aria-busy=true]').count()) > 0
    quiet = isBusy ? 0 : quiet + 1
    await setTimeout(100)
  }
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(0))))',
  )
}

/** PNG for looking at, WebP for the documentation; returns the size. */
async function take(page: Page, path: string): Promise<number> {
  if (!forDocs) return (await page.screenshot({ path: `${path}.png`, fullPage: true })).length
  rmSync(`${path}.webp`, { force: true })
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 })
  const picture = Buffer.from(data, 'base64')
  writeFileSync(`${path}.webp`, picture)
  return picture.length
}

async function startDemo({ api }: Warehouse): Promise<Demo | null> {
  if (!('demo.start' in routes)) return null
  const started = await api('POST', '/demo')
  if (started.status !== 200) throw new Error(`the demo was refused: ${JSON.stringify(started.body)}`)
  for (;;) {
    const { state, error, step, ...demo } = (await api('GET', '/demo')).body.result
    if (state === 'running') return demo as Demo
    if (state === 'failed') throw new Error(`the demo failed at ${step}: ${error}`)
    await setTimeout(500)
  }
}

async function firstTile({ server }: Warehouse, { dashboardId }: Demo): Promise<string> {
  const headers = { authorization: `Bearer ${server.credentials.dashboardToken}` }
  const answer = await fetch(`${server.url}/api/v2/dashboards/${dashboardId}`, { headers })
  const { data } = (await answer.json()) as { data: { tiles: { id: string }[] } }
  return data.tiles[0]?.id ?? 'new'
}
