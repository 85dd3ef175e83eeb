import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { createOpenApi } from '../../api/openapi/document.ts'
import { operations } from '../../api/operations.ts'
import { errorCatalogue } from '../../domain/errors.ts'
import { issueCodes } from '../../domain/issue.ts'
import { createReference } from './page.ts'

const { html, contentSecurityPolicy } = createReference({
  management: createOpenApi('management', '1.2.3'),
  dashboards: createOpenApi('dashboards', '1.2.3'),
})

describe('the reference', () => {
  it('has a place for every operation, with its path', () => {
    for (const { id, path } of operations) {
      const section = sectionOf(id)
      assert.ok(section.replaceAll('<wbr>', '').includes(`<code>${path}</code>`), `${id} shows its path`)
      assert.ok(section.includes('>curl</span>'), `${id} shows a command`)
    }
  })

  it('shows fields with their bounds, values and marks', () => {
    const scaling = sectionOf('services.updateScaling')
    assert.match(scaling, /minTotalMemoryGb<\/code>.*deprecated.*24 to 1,068 · multiple of 12/s)
    assert.match(sectionOf('services.updateState'), /command<\/code>.*required.*<code>start<\/code>/s)
    assert.match(sectionOf('pipes.create'), /<details><summary>\d+ fields of <code>kafka<\/code>/)
    assert.match(sectionOf('services.create'), /1 to 50 characters/)
  })

  it('has every error and every issue code, and shows the version', () => {
    for (const code of Object.keys(errorCatalogue)) assert.ok(html.includes(`id="error-${code}"`), code)
    for (const code of issueCodes) assert.ok(html.includes(`<code>${code}</code>`), code)
    assert.ok(html.includes('1.2.3'))
  })

  it('links only to places that it has', () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, 'no id twice')
    const targets = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
    assert.ok(targets.length > operations.length)
    assert.deepEqual(
      targets.filter((target) => !ids.includes(target)),
      [],
    )
  })

  it('loads nothing from anywhere', () => {
    const sources = [...html.matchAll(/<(?:link|img|script|iframe)\b[^>]*\b(?:src|href)="([^"]+)"/g)]
    assert.deepEqual(
      sources.map(([, source]) => source?.slice(0, 5)),
      ['data:'],
    )
    assert.doesNotMatch(html, /@import|url\(/)
  })

  it('is allowed its own style and script by its policy, and has no inline ones beside', () => {
    for (const tag of ['style', 'script']) {
      const blocks = [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))]
      assert.equal(blocks.length, 1)
      const hash = createHash('sha256')
        .update(blocks[0]?.[1] ?? '')
        .digest('base64')
      assert.ok(contentSecurityPolicy.includes(`${tag}-src 'sha256-${hash}'`))
    }
    assert.doesNotMatch(html, /<[a-z]+[^>]* (style|on[a-z]+)="/)
    assert.doesNotMatch(contentSecurityPolicy, /unsafe/)
  })

  it('closes what it opens', () => {
    for (const tag of [
      'section',
      'div',
      'ul',
      'li',
      'details',
      'figure',
      'table',
      'tr',
      'code',
      'span',
      'a',
      'p',
    ]) {
      const opened = html.match(new RegExp(`<${tag}[ >]`, 'g'))?.length
      assert.equal(html.match(new RegExp(`</${tag}>`, 'g'))?.length, opened, tag)
    }
  })
})

/** The section of the page about one operation. */
function sectionOf(id: string): string {
  const start = html.indexOf(`<section class="operation" id="${id}"`)
  assert.ok(start >= 0, `${id} has a section`)
  return html.slice(start, html.indexOf('</section>', start))
}
