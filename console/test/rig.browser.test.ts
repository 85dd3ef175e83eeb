import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { expectAxeClean, expectNoSidewaysScroll } from './rig/axe.ts'
import { startConsole } from './rig/start-console.ts'
import { watchPage } from './rig/watch-page.ts'

const rig = await startConsole({ after }, { engine: 'none' })

/** Whatever a page of the console does wrong, a test that only opens it fails. */
describe('the rig of the browser tests', () => {
  const faults: readonly [what: string, script: string, expected: RegExp][] = [
    ['an error of a script', 'setTimeout(() => { throw new Error("lost") })', /^script error: Error: lost/],
    ['a message on the console', 'console.error("oops")', /^console error: oops/],
    [
      'a style attribute',
      'document.body.setAttribute("style", "color: red")',
      /policy violated: style-src-attr/,
    ],
    [
      'a style element',
      'document.head.append(Object.assign(document.createElement("style"), { textContent: "a{}" }))',
      /policy violated: style-src-elem/,
    ],
    ['a refused request', 'fetch("/v1/organizations")', /^answered 401: GET \/v1\/organizations/],
    [
      'a request to elsewhere',
      'fetch("http://localhost:9/").catch(() => {})',
      /policy violated: connect-src/,
    ],
  ]
  it('notices every fault of a page', async (t) => {
    const page = await rig.open(t, '/sign-in', { signedIn: false, expects: [/./] })
    const watch = await watchPage(page, rig.server.url)
    for (const [what, script, expected] of faults) {
      await page.evaluate(`{ ${script}; 0 }`)
      const isNoticed = () => watch.problems().some((problem) => expected.test(problem))
      for (let round = 0; round < 500 && !isNoticed(); round += 1) await page.waitForTimeout(10)
      assert.ok(isNoticed(), `${what}: ${watch.problems().join('\n')}`)
    }
  })

  it('notices faults for people who do not see, and pages that are too wide', async (t) => {
    const page = await rig.open(t, '/sign-in', { signedIn: false, width: 320 })
    await page.evaluate('document.body.innerHTML = "<main><h1>x</h1><img src=/mark.svg width=900></main>"')
    await assert.rejects(expectAxeClean(page), /image-alt/)
    await assert.rejects(expectNoSidewaysScroll(page), /320 px are seen: .*<img/)
  })
})
