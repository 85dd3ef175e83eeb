import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { openSite } from '../../../src/console/open-site.ts'
import { repository } from '../../../src/console/sources.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { type Ends, startServer, type TestServer } from '../../../test/support/server.ts'
import { startWarehouse, type Warehouse } from '../../../test/support/warehouse.ts'
import { expectAxeClean, expectNoSidewaysScroll } from './axe.ts'
import { launchChromium } from './chromium.ts'
import { type Look, openContext, signIn } from './context.ts'
import { watchPage } from './watch-page.ts'

/** A real server with the built console, and a browser; one of each for a test file. */
export interface ConsoleRig<S> {
  server: TestServer
  /** Services on the real engine; absent for a rig without one. */
  warehouse: S
  /**
   * Opens a path in a context of its own and waits for its heading. At the end of the test the context closes, and the
   * test fails on any problem of the page that it does not expect: see watch-page.ts.
   */
  open(t: TestContext, path: string, options?: PageOptions): Promise<Page>
  /** The page has no accessibility fault in dark and light at 1440 and 390, and reflows at 390 and 320. */
  expectClean(
    t: TestContext,
    path: string,
    prepare?: (page: Page) => Promise<unknown>,
    options?: PageOptions,
  ): Promise<void>
}

export interface PageOptions extends Look {
  /** false = nobody is signed in. Default: the server's first key is. */
  signedIn?: boolean | { keyId: string; keySecret: string }
  /** Problems that belong to the test, such as /answered 409/. */
  expects?: readonly RegExp[]
}

/** With `engine: 'none'` services are only noted; the file starts in a third of the time. */
export async function startConsole(ends: Ends, options: { engine: 'none' }): Promise<ConsoleRig<undefined>>
export async function startConsole(ends: Ends, options?: RigOptions): Promise<ConsoleRig<Warehouse>>
export async function startConsole(
  ends: Ends,
  options: RigOptions & { engine?: 'none' } = {},
): Promise<ConsoleRig<Warehouse | undefined>> {
  // Built here, so that a build that fails says why.
  await openSite({ onBuild: () => {}, signal: AbortSignal.timeout(patienceMs) })
  const env = { GRANARY_CONSOLE: 'on', ...options.env }
  const warehouse = options.engine === 'none' ? undefined : await startWarehouse(ends, { ...options, env })
  const server = warehouse?.server ?? (await startServer({ env }))
  if (!warehouse) ends.after(() => server.stop())
  const browser = await launchChromium()
  ends.after(() => browser.close())
  const open = createOpen(browser, server)
  return {
    server,
    warehouse,
    open,
    async expectClean(t, path, prepare = async () => {}, options = {}) {
      for (const width of [1440, 390] as const) {
        const page = await open(t, path, { ...options, width, scheme: 'dark' })
        await prepare(page)
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme })
          await expectAxeClean(page, `${path} (${colorScheme}, ${width} px)`)
        }
        if (width !== 390) continue
        await expectNoSidewaysScroll(page)
        await page.setViewportSize({ width: 320, height: 800 })
        await expectNoSidewaysScroll(page)
      }
    },
  }
}

export interface RigOptions {
  env?: Record<string, string>
  tier?: 'BASIC' | 'SCALE'
}

function createOpen(browser: Browser, server: TestServer): ConsoleRig<undefined>['open'] {
  /** One session of each key serves the whole file. */
  const cookies = new Map<string, ReturnType<typeof signIn>>()
  return async (t, path, options = {}) => {
    const { signedIn = true, expects = [] } = options
    // A server that has just started says so until it has read the console.
    while ((await fetch(server.url)).status === 503) await setTimeout(10)
    const context = await openContext(browser, server.url, options)
    if (signedIn) {
      const credentials = { ...server.credentials, ...(signedIn === true ? {} : signedIn) }
      const cookie = cookies.get(credentials.keyId) ?? signIn({ url: server.url, credentials })
      cookies.set(credentials.keyId, cookie)
      await context.addCookies([await cookie])
    }
    const page = await context.newPage()
    const watch = await watchPage(page, server.url)
    t.after(async () => {
      if (!(t as TestContext & { passed: boolean }).passed) await keepPicture(page, t.name)
      await context.close()
      const left = watch.problems().filter((problem) => !expects.some((expected) => expected.test(problem)))
      assert.equal(left.join('\n'), '', `problems on ${path}`)
    })
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    return page
  }
}

/** What a failed test saw last. */
async function keepPicture(page: Page, test: string): Promise<void> {
  const folder = join(repository, 'node_modules/.cache/console-failures')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${test.replaceAll(/\W+/g, '-').slice(0, 80)}.png`)
  await page.screenshot({ path, timeout: 5_000 }).catch(() => {})
  console.error(`the page at the end of "${test}": ${path}`)
}
