import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { expectAxeClean } from './rig/axe.ts'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after })
const service = await rig.warehouse.create({ name: 'events' })
await service.sql('CREATE TABLE visits (at DateTime, page String) ORDER BY at')
await service.sql(
  "INSERT INTO visits VALUES ('2026-01-02 03:04:05', '/home'), ('2026-01-02 03:04:06', '/about')",
)
const path = `/sql/${service.id}`

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Query' }).focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

describe('the SQL page', () => {
  it('runs the statement at the caret by keyboard, shows its rows and keeps the text', async (t) => {
    const page = await rig.open(t, '/sql')
    await page.getByRole('button', { name: 'visits 2' }).click()
    await page.getByText('in the sorting key').waitFor({ state: 'attached' })
    await write(page, 'SELECT 1;\nSELECT page, 18446744073709551615 AS big FROM visits ORDER BY page')
    await page.keyboard.press('Control+Enter')
    await page
      .getByText(/^2 rows in /)
      .first()
      .waitFor()
    const cells = await page.getByRole('row').nth(1).getByRole('cell').allTextContents()
    assert.deepEqual(cells, ['1', '/about', '18446744073709551615'])
    await page.getByRole('button', { name: 'Download all rows' }).waitFor()
    await page.reload()
    await page.getByText('AS big FROM visits').first().waitFor()
  })

  it('cancels by keyboard, and draws only what is in view of many rows', async (t) => {
    const page = await rig.open(t, path, { expects: [/answered 409: POST .*\/query/] })
    await write(page, 'SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number)')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await page.keyboard.press('Control+.')
    await page.getByText('Cancelled.').waitFor()
    await write(page, 'SELECT number FROM numbers(20000)')
    await page.keyboard.press('Control+Enter')
    await page
      .getByText(/^First 10,000 rows in /)
      .first()
      .waitFor()
    assert.ok((await page.getByRole('row').count()) < 200)
    await page.getByRole('region', { name: 'Result, 10,000 rows' }).focus()
    await page.keyboard.press('End')
    await page.getByRole('cell', { name: '10,000', exact: true }).waitFor()
  })

  it('shows an error at its place, and mends it by what the engine suggests', async (t) => {
    const page = await rig.open(t, path, { expects: [/answered 400: POST .*\/query/] })
    await write(page, 'SELECT pag FROM visits')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('alert').waitFor()
    await page.getByText('Line 1, column 8 of the statement.').waitFor()
    await page.getByRole('button', { name: 'Use page' }).click()
    await page.keyboard.press('Control+Enter')
    await page
      .getByText(/^2 rows in /)
      .first()
      .waitFor()
  })

  it('asks before something is dropped', async (t) => {
    const page = await rig.open(t, path)
    await write(page, 'DROP TABLE visits')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Do not run' }).click()
    assert.match((await service.sql('EXISTS visits')).text, /1/)
  })

  it('draws a result, explains and formats it; all of it is in the address', async (t) => {
    const page = await rig.open(t, path)
    await write(page, 'select at,page,count() as n from visits group by at,page order by at')
    await page.getByRole('textbox', { name: 'Query' }).focus()
    await page.keyboard.press('Control+Shift+F')
    await page.getByText('GROUP BY').first().waitFor()
    await page.keyboard.press('Control+Enter')
    await page
      .getByText(/^2 rows in /)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Both' }).click()
    await page.getByRole('img', { name: /^n/ }).waitFor()
    await page.getByLabel('Lines').selectOption('nothing')
    assert.equal(new URL(page.url()).search, '?show=both&by=-')
    await expectAxeClean(page)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('cell', { name: /ReadFromMergeTree/ }).waitFor()
  })

  it('keeps a query under a name with an address of its own, and opens a text by its link', async (t) => {
    const page = await rig.open(t, path)
    await write(page, 'SELECT 17')
    await page.keyboard.press('Control+s')
    await page.getByRole('textbox', { name: 'Name' }).fill('Seventeen')
    await page.keyboard.press('Enter')
    const link = page.getByRole('link', { name: 'Seventeen' })
    await link.waitFor()
    const address = await link.getAttribute('href')
    await write(page, 'SELECT 18')
    await page.getByRole('button', { name: 'Seventeen, not saved' }).waitFor()
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Seventeen', exact: true }).waitFor()
    const other = await rig.open(t, address ?? '')
    await other.getByText('SELECT 18').first().waitFor()
    const third = await rig.open(t, `${path}#q=SELECT%2019`)
    await third.getByText('SELECT 19').first().waitFor()
    assert.equal(new URL(third.url()).hash, '')
  })

  it('can be used by everybody', (t) =>
    rig.expectClean(t, path, async (page) => {
      await write(page, 'SELECT * FROM visits')
      await page.keyboard.press('Control+Enter')
      await page
        .getByText(/^2 rows in /)
        .first()
        .waitFor()
    }))
})
