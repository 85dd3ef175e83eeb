import type { Page } from 'playwright-core'

/** Options of a page that may use the clipboard. */
export const withClipboard = { context: { permissions: ['clipboard-read', 'clipboard-write'] } }

/** What the page has copied. Writing takes a moment; the text is taken away, so that the next one is another. */
export async function clipboardOf(page: Page): Promise<string> {
  for (;;) {
    const text = await page.evaluate<string>('navigator.clipboard.readText()')
    if (text !== '') {
      await page.evaluate(`navigator.clipboard.writeText('')`)
      return text
    }
    await page.waitForTimeout(50)
  }
}
