import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after }, { engine: 'none' })
const { keyId, keySecret, organizationId, dashboardToken } = rig.server.credentials

const h1 = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

describe('signing in', () => {
  it('leads with a key to the page that was sought', async (t) => {
    // What is being read while somebody signs out is refused.
    const page = await rig.open(t, '/keys?q=x', { signedIn: false, expects: [/answered 401: GET/] })
    await h1(page, 'Sign in')
    await page.getByLabel('Key id').fill(keyId)
    await page.getByLabel('Key secret').fill(keySecret)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('/keys?q=x')
    await page.getByRole('link', { name: 'Keys' }).and(page.locator('[aria-current="page"]')).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await h1(page, 'Sign in')
  })

  it('says at the form that a key is wrong, and keeps what was typed', async (t) => {
    const page = await rig.open(t, '/sign-in', { signedIn: false, expects: [/answered 401: POST/] })
    await page.getByLabel('Key id').fill(keyId)
    await page.getByLabel('Key secret').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('Key secret').inputValue(), 'wrong')
  })

  it('takes a dashboard token, which sees dashboards alone', async (t) => {
    const page = await rig.open(t, '/sign-in?next=/dashboards', { signedIn: false })
    await page.getByRole('button', { name: 'Dashboard token' }).click()
    await page.getByLabel('Token').fill(dashboardToken)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('link', { name: 'Dashboards' }).waitFor()
    assert.equal(await navigation.getByRole('link', { name: 'Backups' }).count(), 0)
  })

  it('happens over the page when a session ends, and nothing of the page is lost', async (t) => {
    const page = await rig.open(t, '/not/a/page', { expects: [/answered 401/] })
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Overview' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('Key id').fill(keyId)
    await dialog.getByLabel('Key secret').fill(keySecret)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    await h1(page, 'The granary is empty.')
  })

  it('can be used by everybody', (t) => rig.expectClean(t, '/sign-in'))
})

describe('the frame', () => {
  it('opens the palette by a key, and goes where it is told', async (t) => {
    const page = await rig.open(t, '/')
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search or jump' })
    await field.fill('acti')
    await page.getByRole('option', { name: 'Activity' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('/activity')
    assert.equal(await field.count(), 0)
  })

  it('has keys for sections, shows the list of keys, and does nothing while somebody types', async (t) => {
    const page = await rig.open(t, '/')
    // The first key waits a second for the next, which a starved machine may not send in time.
    while (!page.url().endsWith('/keys')) {
      await page.keyboard.press('g')
      await page.keyboard.press('k')
    }
    await page.keyboard.press('?')
    await page.getByRole('option', { name: /Filter the list/ }).waitFor()
    await page.keyboard.type('t')
    assert.equal(await page.locator('html').getAttribute('data-theme'), null)
    await page.keyboard.press('Escape')
    await page.keyboard.press('t')
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'light')
  })

  it('names an address that has no page, and the nearest ones', async (t) => {
    const page = await rig.open(t, '/pipez')
    await h1(page, 'Nothing is here')
    assert.ok(await page.getByText('/pipez').isVisible())
    await page.getByRole('main').getByRole('link', { name: 'Pipes' }).waitFor()
  })

  it('says that the server is away, and goes on when it is back', async (t) => {
    const page = await rig.open(t, '/', { expects: [/request failed/, /answered 50\d/] })
    await rig.server.kill()
    const away = page.getByText('The server does not answer.')
    await away.waitFor()
    await h1(page, 'The granary is empty.')
    const tryNow = page.getByRole('button', { name: 'Try now' })
    await tryNow.click()
    await rig.server.restart()
    // The page tries by itself too, and may be faster.
    void tryNow.click().catch(() => {})
    await away.waitFor({ state: 'hidden' })
  })

  it('has one stream of changes for all tabs, and another tab takes it over', async (t) => {
    const first = await rig.open(t, '/keys')
    const streams: string[] = []
    const context = first.context()
    context.on('request', (request) => {
      // What the page asked for before it is loaded again counts no more.
      if (request.isNavigationRequest() && request.frame() === first.mainFrame()) streams.length = 0
      if (request.url().endsWith('/changes')) streams.push(request.url())
    })
    await first.reload()
    await h1(first, 'Keys')
    const others: Page[] = []
    // A browser opens six connections to a host.
    while (others.length < 7) {
      const tab = await context.newPage()
      await tab.goto('/keys')
      await h1(tab, 'Keys')
      others.push(tab)
    }
    assert.equal(streams.length, 1)
    const last = others.at(-1)
    assert.ok(last)
    const expectKey = async (name: string) => {
      await rig.server.api('POST', `/v1/organizations/${organizationId}/keys`, { name, roles: ['developer'] })
      await last.getByRole('button', { name: `Actions of ${name}` }).waitFor()
    }
    await expectKey('barn')
    const taken = context.waitForEvent('response', (response) => response.url().endsWith('/changes'))
    await first.close()
    await taken
    assert.equal(streams.length, 2)
    await expectKey('loft')
  })

  it('tells in the icon and the title of the tab what needs somebody', async (t) => {
    const page = await rig.open(t, '/settings')
    const icon = page.locator('link[rel="icon"]')
    assert.equal(await icon.getAttribute('href'), '/mark.svg')
    const made = await rig.server.api('POST', `/v1/organizations/${organizationId}/keys`, {
      ...{ name: 'guest', roles: ['developer'], expireAt: new Date(Date.now() + 86_400_000).toISOString() },
    })
    const guest = await rig.open(t, '/settings', { signedIn: made.body.result })
    await guest.locator('link[rel="icon"][href="/mark-warn.svg"]').waitFor({ state: 'attached' })
    assert.match(await guest.title(), /^! 1 · Settings · Granary$/)
    assert.equal((await guest.request.get('/mark-warn.svg')).headers()['content-type'], 'image/svg+xml')
  })

  it('can be used by everybody, also with the palette open', (t) =>
    rig.expectClean(t, '/', async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('listbox', { name: 'Results' }).waitFor()
    }))

  it('can be used by everybody where nothing is', (t) => rig.expectClean(t, '/pipez'))
})

describe('the overview of services', () => {
  it('lists them with state and reason, filters them, and asks before it stops one', async (t) => {
    const path = `/v1/organizations/${organizationId}/services`
    for (const name of ['events', 'shop']) {
      assert.equal((await rig.server.api('POST', path, { name })).status, 200)
    }
    const page = await rig.open(t, '/')
    await page.getByText(/^2 services/).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('eve')
    await page.waitForURL('/?q=eve')
    const table = page.getByRole('table', { name: 'Services' })
    assert.equal(await table.getByRole('row').count(), 2)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Actions for events' }).click()
    await page.getByRole('menuitem', { name: 'Open SQL' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/services\/[0-9a-f-]{36}$/)
  })

  it('fades a value that has changed', async (t) => {
    const list = await rig.server.api('GET', `/v1/organizations/${organizationId}/services`)
    const { id } = list.body.result.find(({ name }: { name: string }) => name === 'shop')
    const page = await rig.open(t, '/', { context: { reducedMotion: 'no-preference' } })
    await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'shop' }).waitFor()
    await page.evaluate(noteFades)
    await rig.server.api('PATCH', `/v1/organizations/${organizationId}/services/${id}`, { name: 'store' })
    while (!(await page.evaluate<boolean>(`faded.some((text) => text.includes('store'))`))) {
      await page.waitForTimeout(50)
    }
  })

  it('can be used by everybody, also with a menu open', (t) =>
    rig.expectClean(t, '/', (page) => page.getByRole('button', { name: 'Actions for events' }).click()))
})

/** Runs in the page: the texts of the elements that fade. */
const noteFades = `
  globalThis.faded = []
  const animate = Element.prototype.animate
  Element.prototype.animate = function (...given) {
    faded.push(this.textContent)
    return animate.apply(this, given)
  }`
