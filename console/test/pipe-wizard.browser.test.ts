import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after })
const service = await rig.warehouse.create({ name: 'events' })
const { id } = service
const files = join(rig.server.dataDir, 'files', 'clicks')
mkdirSync(files, { recursive: true })
writeFileSync(
  join(files, '1.json'),
  '{"at":"2026-11-14 08:00:00","page":{"url":"/oat"},"qty":1}\n{"at":"2026-11-14 08:00:01","page":{"url":"/rye"},"qty":2}\n',
)
const torn = join(rig.server.dataDir, 'files', 'torn')
mkdirSync(torn, { recursive: true })
writeFileSync(join(torn, '1.json'), '{"qty":1}\n{"qty":"many"}\n')

/** Goes to a field by its label and types, as somebody without a mouse does. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).focus()
  await page.keyboard.type(text)
}

async function describeFiles(page: Page, address: string): Promise<void> {
  await page.getByLabel('Vendor').focus()
  await page.keyboard.type('Files')
  await type(page, 'Address', address)
}

/** The step of the table, for records of which one has no number. */
async function openTorn(t: TestContext): Promise<Page> {
  const page = await rig.open(t, `/services/${id}/pipes/new/objectStorage`)
  await describeTorn(page)
  return page
}

async function describeTorn(page: Page): Promise<void> {
  await describeFiles(page, `file://${torn}/*.json`)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Go on', exact: true }).click()
}

describe('the wizard of pipes', () => {
  it('leads from a folder to rows of a table, by keyboard alone', async (t) => {
    const page = await rig.open(t, '/pipes/new', { expects: [/answered 400/] })
    await page.getByRole('link', { name: /Object storage/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'New pipe from Object storage' }).waitFor()

    await describeFiles(page, 'file:///etc/*.json')
    await page.keyboard.press('Enter')
    const address = page.getByLabel('Address', { exact: true })
    await page.locator('[aria-invalid="true"]').waitFor()
    assert.equal(await address.getAttribute('aria-invalid'), 'true')
    assert.ok(await address.evaluate((input) => input === input.ownerDocument.activeElement))

    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(`file://${files}/*.json`)
    await page.keyboard.press('Enter')
    await page.getByText('The source answers.').waitFor()
    await page.getByRole('cell', { name: '/oat' }).waitFor()
    assert.match(page.url(), /step=sample/)

    await page.getByRole('button', { name: 'Go on', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Table', exact: true }).focus()
    await page.keyboard.type('clicks')
    await page.getByLabel('Type of column 1').focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('DateTim')
    await page.getByRole('button', { name: 'Sort by at' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Sorted by at.').waitFor()

    // Going back by the browser keeps what was entered.
    await page.goBack()
    await page.getByText('The source answers.').waitFor()
    await page.goForward()
    assert.equal(await page.getByRole('textbox', { name: 'Table', exact: true }).inputValue(), 'clicks')

    await page.getByRole('textbox', { name: 'Table', exact: true }).focus()
    await page.keyboard.press('Enter')
    await type(page, 'Name', 'clicks')
    await page.keyboard.press('Enter')
    // The server refuses the type, and says so where the type is.
    await page.waitForURL(/step=table/)
    await page.getByText(/Unknown data type/).waitFor()
    assert.match(page.url(), /step=table/)
    const wrong = page.getByLabel('Type of column 1')
    assert.equal(await wrong.getAttribute('aria-invalid'), 'true')
    await wrong.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('DateTime')
    await page.keyboard.press('Enter')
    await page.getByText('granary pipes create').waitFor()
    await page.getByText('The records become 2 rows.').waitFor()
    await page.getByLabel('Name', { exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'clicks' }).waitFor()
    await page.getByText('Completed', { exact: true }).waitFor()
    const rows = await service.sql('SELECT page_url, qty FROM clicks ORDER BY at')
    assert.equal(rows.text, '/oat\t1\n/rye\t2\n')
  })

  it('offers the tables that are there', async (t) => {
    await service.sql('CREATE TABLE IF NOT EXISTS present (qty Int64, note String) ORDER BY qty')
    const page = await rig.open(t, `/services/${id}/pipes/new/objectStorage`)
    await describeFiles(page, `file://${files}/*.json`)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Go on', exact: true }).click()
    await page.getByRole('button', { name: 'Existing table' }).click()
    await page
      .getByRole('combobox', { name: 'Table', exact: true })
      .selectOption({ label: 'default.present' })
    assert.equal(await page.getByLabel('Field for column 1').inputValue(), 'qty')
    assert.equal(await page.getByRole('checkbox', { name: 'Fill note' }).isChecked(), false)
  })

  it('shows what the records become, and which would be rejected and why', async (t) => {
    const page = await openTorn(t)
    await page.getByRole('button', { name: 'Preview the rows' }).click()
    await page.getByText('The records become 2 rows.').waitFor()
    const rows = page.getByRole('region', { name: 'Converted rows' })
    await rows
      .getByRole('row', { name: /qty: many/ })
      .getByRole('cell', { name: 'many', exact: true })
      .waitFor()
    await page.getByLabel('Type of column 1').fill('UInt8')
    await page.getByText('These rows are of earlier entries.').waitFor()
    await page.getByRole('button', { name: 'Read the rows again' }).click()
    await page.getByText('1 record would be rejected.').waitFor()
    const bad = rows.getByRole('row', { name: /Cannot parse/ })
    await bad.locator('mark', { hasText: '"many"' }).waitFor()
    await rows
      .getByRole('row', { name: /"qty":1/ })
      .getByRole('cell', { name: '1', exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'Go on', exact: true }).click()
    await page.getByText('1 record would be rejected.').waitFor()
  })

  it('can be used by everybody', (t) => rig.expectClean(t, '/pipes/new'))
  it('so can the sources with every field', async (t) => {
    for (const kind of ['kafka', 'postgres']) {
      await rig.expectClean(t, `/services/${id}/pipes/new/${kind}`)
    }
  })
  it('and so can each later step', async (t) => {
    const path = `/services/${id}/pipes/new/objectStorage`
    const sampled = async (page: Page) => {
      await describeFiles(page, `file://${files}/*.json`)
      await page.keyboard.press('Enter')
      await page.getByText('The source answers.').waitFor()
    }
    const mapped = async (page: Page) => {
      await sampled(page)
      await page.getByRole('button', { name: 'Go on', exact: true }).click()
    }
    await rig.expectClean(t, path, sampled)
    await rig.expectClean(t, path, mapped)
    await rig.expectClean(t, path, async (page) => {
      await describeTorn(page)
      await page.getByLabel('Type of column 1').fill('UInt8')
      await page.getByRole('button', { name: 'Go on', exact: true }).click()
      await page.getByText('1 record would be rejected.').waitFor()
    })
  })
})
