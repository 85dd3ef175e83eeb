import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { expectAxeClean, expectNoSidewaysScroll } from './rig/axe.ts'
import { startConsole } from './rig/start-console.ts'
import { watchPage } from './rig/watch-page.ts'

const rig = await startConsole({ after }, { engine: 'none' })

describe('signing in', () => {
  it('by keyboard, with a key, leads to where one wanted to go', async (t) => {
    const page = await rig.open(t, '/sign-in?next=%2Fkeys', { signedIn: false })
    const { keyId, keySecret } = rig.server.credentials
    await page.getByLabel('Key id').focus()
    await page.keyboard.type(keyId)
    await page.getByLabel('Key secret').focus()
    await page.keyboard.type(keySecret)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/keys')
    const navigation = page.getByRole('navigation').first()
    await navigation
      .getByRole('link', { name: 'Keys', exact: true })
      .and(page.locator('[aria-current=page]'))
      .waitFor()
    for (const name of [
      'Overview',
      'SQL',
      'Pipes',
      'Backups',
      'Dashboards',
      'Alerts',
      'Activity',
      'Keys',
      'Settings',
    ])
      assert.ok(await navigation.getByRole('link', { name, exact: true }).count(), name)
    const [cookie] = await page.context().cookies()
    assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['granary_session', true, 'Strict'])
  })

  it('with a wrong key says so at the form, and the fields keep their content', async (t) => {
    const page = await rig.open(t, '/sign-in', { signedIn: false })
    await page.getByLabel('Key id').fill('nobody')
    await page.getByLabel('Key secret').fill('a secret that is wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: /key/ }).waitFor()
    assert.equal(await page.getByLabel('Key id').inputValue(), 'nobody')
    assert.equal(await page.getByLabel('Key secret').inputValue(), 'a secret that is wrong')
  })

  it('can be done by everybody', (t) => rig.expectClean(t, '/sign-in', undefined, { signedIn: false }))

  it('shows its controls in forced colours', async (t) => {
    const context = { forcedColors: 'active' } as const
    const page = await rig.open(t, '/sign-in', { signedIn: false, context })
    for (const control of [page.getByLabel('Key id'), page.getByRole('button', { name: 'Sign in' })]) {
      const width = await control.evaluate((element) => getComputedStyle(element).borderTopWidth)
      assert.ok(Number.parseFloat(width) > 0, `no edge: ${width}`)
    }
  })

  it('is asked for by every page, and loads in our typeface', async (t) => {
    const page = await rig.open(t, '/backups', { signedIn: false })
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    const fonts = await page.evaluate(async () =>
      [...(await document.fonts.ready)]
        .filter(({ status }) => status === 'loaded')
        .map(({ family }) => family),
    )
    assert.ok(
      fonts.some((family) => family.includes('Hanken Grotesk')),
      fonts.join(),
    )
  })
})

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
