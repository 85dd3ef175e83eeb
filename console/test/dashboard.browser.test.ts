import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after })
const service = await rig.warehouse.create({ name: 'events' })
for (const statement of [
  `CREATE TABLE requests (ts DateTime64(3), level LowCardinality(String), service LowCardinality(String), duration Float64, message String)
   ENGINE = MergeTree ORDER BY ts`,
  `INSERT INTO requests SELECT now64(3) - number * 1.7, if(number % 13 = 0, 'error', 'info'),
   ['checkout', 'catalog', 'search', 'basket'][number % 4 + 1], 40 + (number * 7919) % 300, concat('request ', toString(number))
   FROM numbers(4000)`,
]) {
  const reply = await service.sql(statement)
  assert.equal(reply.status, 200, reply.text)
}
/** The dashboard that the first test makes. */
let path = ''

const shoot = async (page: Page, name: string) => {
  const folder = process.env['GRANARY_TEST_SHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

describe('dashboards', () => {
  it('begin with what fits the data, and draw tiles of all types', async (t) => {
    const page = await rig.open(t, '/dashboards')
    await page.getByText('There is no dashboard yet.').waitFor()
    await page.getByRole('button', { name: 'New dashboard for default.requests' }).click()
    await page.getByRole('heading', { level: 1, name: 'default.requests' }).waitFor()
    await page.getByRole('img', { name: /^Rows by level/ }).waitFor()
    await page.getByRole('img', { name: /^Duration: most values/ }).waitFor()
    await page.getByRole('cell', { name: 'checkout', exact: true }).first().waitFor()
    await page.getByRole('cell', { name: 'request 3', exact: true }).waitFor()
    path = new URL(page.url()).pathname
    await shoot(page, 'dash-dark')
    await page.getByRole('button', { name: /^Time range: Last hour/ }).click()
    await page.getByRole('textbox', { name: 'Range' }).fill('15m')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Time range: Last 15 minutes' }).waitFor()
    assert.match(page.url(), /from=now-15m&to=now/)
    await page.getByRole('searchbox', { name: 'Filter every tile' }).fill('levl:error')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'level' }).waitFor()
  })

  it('are laid out by keys, and saved', async (t) => {
    const page = await rig.open(t, `${path}/edit`)
    const handle = page.getByRole('button', { name: 'Move tile Errors' })
    await handle.focus()
    for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Shift+ArrowRight', 'Enter']) {
      await page.keyboard.press(key)
    }
    await page.getByRole('textbox', { name: 'Name' }).fill('Requests')
    await shoot(page, 'edit-dark')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Requests', exact: true }).waitFor()
    await page.goto(`${path}/versions/1`)
    await page.getByRole('button', { name: 'Restore version 1' }).waitFor()
    await page.getByRole('cell', { name: 'Requests', exact: true }).waitFor()
  })

  it('have variables that are added, renamed and removed', async (t) => {
    const page = await rig.open(t, `${path}/edit`)
    await page.getByRole('button', { name: 'Variable', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('1st')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('A letter first').waitFor()
    await dialog.getByLabel('Name').fill('svc')
    await dialog.getByLabel('List').fill('checkout\nsearch')
    await dialog.getByRole('button', { name: 'Add' }).click()
    const table = page.getByRole('table', { name: 'Variables' })
    await table.getByRole('cell', { name: '2 values' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await table.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Redo' }).click()
    await table.getByRole('button', { name: '$svc' }).click()
    await dialog.getByLabel('Name').fill('shop')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('combobox', { name: 'shop' }).selectOption('search')
    assert.match(page.url(), /v\.shop=search/)
    await page.goto(`${path}/edit`)
    await page.getByRole('button', { name: 'Actions of variable shop' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await table.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await table.waitFor()
  })

  it('have tiles that are written as sentences', async (t) => {
    const page = await rig.open(t, `${path}/tiles/new`)
    // The statement of the tile that it begins with: everything is loaded.
    await page.getByRole('region', { name: 'SQL' }).getByText('count').first().waitFor()
    await page.getByRole('combobox', { name: 'Function of series A' }).selectOption('p95')
    await page.getByRole('textbox', { name: 'Field of series A' }).fill('duration')
    await page.getByRole('textbox', { name: 'Filter of series A' }).fill('servce:checkout')
    await page.getByText('Drawn without A').waitFor()
    await page.getByRole('button', { name: 'service', exact: true }).click()
    await page.getByText(/service contains .checkout./).waitFor()
    // The variable that the dashboard has by now; it stands for every value.
    const filter = page.getByRole('textbox', { name: 'Filter of series A' })
    await filter.fill('service:$nope')
    await page.getByText('No variable nope').waitFor()
    await filter.fill('service:$shop')
    await page.getByText('Drawn without A').waitFor({ state: 'detached' })
    await filter.fill('service:checkout')
    await page.getByRole('region', { name: 'SQL' }).getByText('quantile').first().waitFor()
    await shoot(page, 'tile-dark')
    await page.getByRole('button', { name: 'Save tile' }).click()
    await page.getByRole('heading', { level: 2, name: 'New tile' }).waitFor()
  })

  it('keep what is typed into a tile while its sources load', async (t) => {
    const page = await rig.open(t, path)
    let go = () => {}
    const isAllowed = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route('**/api/v2/sources', async (route) => {
      await isAllowed
      await route.continue()
    })
    await page.goto(`${path}/tiles/new`)
    const field = page.getByRole('textbox', { name: 'Field of series A' })
    await field.pressSequentially('dura')
    const source = page.getByRole('combobox', { name: 'Source of series A' })
    assert.equal(await source.getByRole('option', { name: 'default.requests' }).count(), 0)
    go()
    await source.getByRole('option', { name: 'default.requests' }).waitFor({ state: 'attached' })
    await field.pressSequentially('tion')
    assert.equal(await field.inputValue(), 'duration')
    await page.getByRole('button', { name: 'Undo' }).click()
    assert.equal(await field.inputValue(), 'duratio')
  })

  it('can be read by everybody', (t) =>
    rig.expectClean(t, path, (page) => page.getByRole('img', { name: /^Rows by level/ }).waitFor()))
  it('can be listed by everybody', (t) =>
    rig.expectClean(t, '/dashboards', (page) => page.getByRole('link', { name: 'Requests' }).waitFor()))
  it('can be imported by everybody', (t) => rig.expectClean(t, '/dashboards/import'))
  it('can be laid out by everybody', (t) =>
    rig.expectClean(t, `${path}/edit`, (page) => page.getByRole('region', { name: 'Variables' }).waitFor()))
  it('have variables for everybody', (t) =>
    rig.expectClean(t, `${path}/edit`, async (page) => {
      await page.getByRole('button', { name: 'Variable', exact: true }).click()
      await page.getByRole('dialog').getByLabel('List').waitFor()
    }))
  it('have tiles that everybody can write', (t) =>
    rig.expectClean(t, `${path}/tiles/new`, (page) =>
      page.getByRole('region', { name: 'SQL' }).getByText('count').first().waitFor(),
    ))
  it('have versions that everybody can read', (t) =>
    rig.expectClean(t, `${path}/versions/1`, (page) =>
      page.getByRole('button', { name: 'Restore version 1' }).waitFor(),
    ))
})
