import assert from 'node:assert/strict'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** No rule of WCAG 2.2 A and AA, nor of axe's best practice, is broken on the page as it is now. */
export async function expectAxeClean(page: Page, what = page.url()): Promise<void> {
  await page.evaluate(axe.source)
  const run = `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`
  const { violations } = await page.evaluate<AxeResults>(run)
  const lines = violations.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes
      .slice(0, 5)
      .map(({ html, failureSummary = '' }) => `  ${html.slice(0, 200)}\n    ${failureSummary}`),
  ])
  assert.equal(lines.join('\n'), '', `axe finds faults on ${what}`)
}

/** The page needs no sideways scrolling at its width; what is wider scrolls inside. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const found = await page.evaluate<{ wide: number; seen: number; culprits: string[] }>(findWideElements)
  const text = `the page is ${found.wide} px wide and ${found.seen} px are seen: ${found.culprits.join(' · ')}`
  assert.ok(found.wide <= found.seen, text)
}

/** Runs in the page. */
const findWideElements = `(() => {
  const seen = document.documentElement.clientWidth
  const culprits = [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > seen + 0.5)
    .slice(0, 5)
    .map((element) => element.outerHTML.slice(0, 120))
  return { wide: document.documentElement.scrollWidth, seen, culprits }
})()`
