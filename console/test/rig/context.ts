import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { patienceMs } from '../../../test/support/patience.ts'
import type { TestServer } from '../../../test/support/server.ts'

export interface Look {
  scheme?: 'dark' | 'light'
  /** 390 and 320 are phones: touch, and a coarse pointer. */
  width?: 1440 | 834 | 390 | 320
  /** Anything else of the browser's context, such as `forcedColors`. */
  context?: BrowserContextOptions
}

/** A browser window of its own: language, time zone, theme and size are given, and nothing moves by itself. */
export async function openContext(browser: Browser, url: string, look: Look = {}): Promise<BrowserContext> {
  const { scheme = 'dark', width = 1440 } = look
  const isPhone = width < 720
  const context = await browser.newContext({
    baseURL: url,
    ...{ locale: 'en-US', timezoneId: 'UTC', colorScheme: scheme, reducedMotion: 'reduce' },
    ...{ viewport: { width, height: isPhone ? 844 : 900 }, hasTouch: isPhone, isMobile: isPhone },
    ...look.context,
  })
  context.setDefaultTimeout(patienceMs)
  return context
}

/** The cookie of a new session of the server's first key. */
export async function signIn({ url, credentials }: Pick<TestServer, 'url' | 'credentials'>) {
  const { keyId, keySecret } = credentials
  const answer = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ keyId, keySecret }),
  })
  const value = /^granary_session=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1]
  assert.ok(value, `signing in was answered with ${answer.status}: ${await answer.text()}`)
  return { name: 'granary_session', value, url }
}
