import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after }, { env: { GRANARY_WEBHOOK_ALLOW: '127.0.0.1' } })
const { id, sql } = await rig.warehouse.create({ name: 'events' })
await sql('CREATE TABLE default.requests (at DateTime, severity String, message String) ORDER BY at')
await sql("INSERT INTO default.requests VALUES (now(), 'error', 'disk full')")
const source = await dashboards('POST', '/sources', { name: 'requests', serviceId: id, table: 'requests' })
const dashboard = await dashboards('POST', '/dashboards', {
  name: 'Shop',
  tiles: [
    {
      ...{ name: 'Errors', x: 0, y: 0, w: 8, h: 4 },
      series: [{ type: 'number', dataSource: 'requests', aggFn: 'count', where: 'level:error', groupBy: [] }],
    },
  ],
})

async function dashboards(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${rig.server.url}/api/v2${path}`, {
    method,
    headers: {
      authorization: `Bearer ${rig.server.credentials.dashboardToken}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text).data
}

describe('alerts', () => {
  it('are made from the menu of a tile, with the server at the fields, and show their secret once', async (t) => {
    const page = await rig.open(t, `/dashboards/${dashboard.id}`, { expects: [/answered 400/] })
    await page.getByRole('button', { name: 'Menu of tile Errors' }).click()
    await page.getByRole('menuitem', { name: 'New alert' }).click()
    await page
      .getByLabel('Tile')
      .locator('option:checked', { hasText: 'Errors' })
      .waitFor({ state: 'attached' })
    await page.getByLabel('Name').fill('Too many errors')
    await page.getByLabel('Threshold').fill('100')
    await page.getByRole('textbox', { name: 'Webhook' }).fill('nonsense')
    await page.getByRole('button', { name: 'New alert' }).click()
    await page.locator('[name="url"][aria-invalid="true"]').waitFor()
    await page.getByRole('textbox', { name: 'Webhook' }).fill('http://127.0.0.1:9/hook')
    await page.getByRole('button', { name: 'New alert' }).click()
    await page
      .getByRole('dialog', { name: /signing secret/ })
      .getByText('whsec_')
      .waitFor()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Too many errors' }).waitFor()
  })
  it('are turned off and on, and changed', async (t) => {
    const page = await rig.open(t, '/alerts')
    await page.getByRole('link', { name: 'Too many errors' }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('It is off. It would fire when the value is at least 100.').waitFor()
    const form = page.getByRole('form', { name: 'Alert' })
    await form.getByLabel('Fires when the value is').selectOption('between')
    await form.getByLabel('Upper bound').fill('200')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('It would fire when the value is between 100 and 200.').waitFor()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('button', { name: 'Turn off' }).waitFor()
  })
  it('can be used by everybody', (t) => rig.expectClean(t, '/alerts'))
  it('and so can one of them', (t) =>
    rig.expectClean(t, '/alerts', async (page) => {
      await page.getByRole('link', { name: 'Too many errors' }).click()
      await page.getByRole('heading', { level: 1, name: 'Too many errors' }).waitFor()
      await page
        .getByText('It was not evaluated yet.')
        .or(page.getByRole('table', { name: 'Evaluations' }))
        .waitFor()
    }))
  it('and a new one', (t) => rig.expectClean(t, '/alerts/new'))
})

describe('sources', () => {
  it('are changed, their aliases too', async (t) => {
    const page = await rig.open(t, '/sources')
    await page.getByRole('link', { name: 'requests' }).click()
    await page.getByRole('button', { name: 'Add an alias' }).click()
    const aliases = page.getByRole('group', { name: 'Aliases' })
    await aliases
      .getByRole('textbox', { name: /^Alias/ })
      .last()
      .fill('severity_of')
    await aliases
      .getByRole('combobox', { name: /^Column of alias/ })
      .last()
      .fill('severity')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    const { aliases: kept } = await dashboards('GET', `/sources/${source.id}`)
    assert.equal(kept.severity_of, 'severity')
  })
  it('can be used by everybody', (t) => rig.expectClean(t, '/sources'))
  it('and so can one of them', (t) => rig.expectClean(t, `/sources/${source.id}`))
})
