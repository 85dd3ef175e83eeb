import type { Page } from 'playwright-core'

/** Everything that a page must not do, in words; a test fails if anything is left here that it does not expect. */
export interface PageWatch {
  problems(): string[]
}

/**
 * Collects what goes wrong in a page without showing: errors of scripts and of the console, violations of the content
 * security policy, requests that fail or are refused, and requests to anywhere but the server.
 */
export async function watchPage(page: Page, origin: string): Promise<PageWatch> {
  const problems: string[] = []
  await page.addInitScript(reportViolations)
  page.on('pageerror', (error) => problems.push(`script error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    // The browser notes each refused request on the console too.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) problems.push(`console error: ${message.text()}`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== origin)
      problems.push(`request to elsewhere: ${request.url()}`)
  })
  page.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {}
    // The page left, or closed a stream of its own.
    if (errorText === 'net::ERR_ABORTED') return
    problems.push(`request failed: ${request.method()} ${request.url()} ${errorText}`)
  })
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    const isSignedOut = pathname === '/v1/session' && response.status() === 401
    if (response.status() >= 400 && !isSignedOut)
      problems.push(`answered ${response.status()}: ${response.request().method()} ${pathname}`)
  })
  return { problems: () => problems }
}

/** Runs in the page. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI + ' ' + event.sample))`
