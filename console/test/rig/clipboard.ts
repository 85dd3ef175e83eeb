import type { Page } from 'playwright-core'

/** Options of a page that may use the clipboard. */
export const withClipboard = { context: { permissions: ['clipboard-read', 'clipboard-write'] } }

/** What the page has copied. Writing takes a moment, so the text of an earlier copy is taken away. */
export async function clipboardOf(page: Page): Promise<string> {
  const taken = await page.waitForFunction(takeText)
  return (await taken.jsonValue()) as string
}

/** Runs in the page. */
const takeText = `navigator.clipboard.readText().then((text) =>
  text === '' ? '' : navigator.clipboard.writeText('').then(() => text))`
