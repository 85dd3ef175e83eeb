import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after })
const { id } = await rig.warehouse.create({ name: 'events' })
const files = join(rig.server.dataDir, 'files', 'orders')
mkdirSync(files, { recursive: true })
writeFileSync(
  join(files, '1.json'),
  '{"at":"2026-11-14 08:00:00","item":"oat"}\n{"at":"soon","item":"rye"}\n',
)
const root = `/v1/organizations/${rig.server.credentials.organizationId}/services/${id}`
const made = await rig.server.api('POST', `${root}/pipes`, {
  name: 'orders',
  source: { objectStorage: { url: `file://${files}/*.json`, format: 'JSONEachRow', isContinuous: true } },
  destination: {
    table: 'orders',
    managedTable: true,
    columns: [
      { name: 'at', type: 'DateTime' },
      { name: 'item', type: 'String' },
    ],
    tableDefinition: { engine: { type: 'MergeTree' }, sortingKey: ['at'] },
  },
  fieldMappings: [
    { sourceField: 'at', destinationField: 'at' },
    { sourceField: 'item', destinationField: 'item' },
  ],
})
if (made.status !== 200) throw new Error(JSON.stringify(made.body))
const pipe = `/services/${id}/pipes/${made.body.result.id}`

describe('pipes', () => {
  it('are listed, opened, stopped and started', async (t) => {
    const page = await rig.open(t, '/pipes')
    await page.getByRole('link', { name: 'orders' }).click()
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
    await page.getByText('Rows written').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  })
  it('show what they rejected, and how far each part of the source was read', async (t) => {
    const page = await rig.open(t, pipe)
    await page.getByRole('table', { name: 'Shares of the objects' }).getByRole('cell').first().waitFor()
    const reasons = page.getByRole('table', { name: 'Reasons' })
    // The records are read once; the page does not say by itself that one came.
    while (!(await reasons.isVisible())) {
      await page.getByRole('button', { name: 'Read again' }).click()
      await page.getByText('No record was rejected').or(reasons).waitFor()
    }
    await reasons.getByRole('cell', { name: '1', exact: true }).waitFor()
    await page.getByRole('link', { name: /1\.json : / }).press('Enter')
    const sheet = page.getByRole('dialog', { name: 'Rejected record' })
    await sheet.locator('mark', { hasText: '"soon"' }).waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
  })
  it('can be used by everybody', (t) => rig.expectClean(t, '/pipes'))
  it('and so can one of them, with a rejected record', (t) =>
    rig.expectClean(t, pipe, async (page) => {
      await page.getByRole('link', { name: /1\.json : / }).click()
      await page.getByRole('dialog', { name: 'Rejected record' }).waitFor()
    }))
})

describe('sources', () => {
  it('are made with pipes, and listed', async (t) => {
    const page = await rig.open(t, '/sources')
    await page.getByRole('cell', { name: 'events · default.orders' }).waitFor()
  })
})

describe('the tabs of a service', () => {
  it('list its tables with their columns, its pipes and its activity', async (t) => {
    const page = await rig.open(t, `/services/${id}`)
    const tabs = page.getByRole('navigation', { name: 'Service' })
    await tabs.getByRole('link', { name: 'Tables' }).click()
    await page.getByRole('link', { name: 'default.orders', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'default.orders' })
    await sheet.getByRole('cell', { name: /at.*sorting key/ }).waitFor()
    await page.keyboard.press('Escape')
    await tabs.getByRole('link', { name: /^Pipes/ }).click()
    await page
      .getByRole('cell', { name: /orders/ })
      .first()
      .waitFor()
    await tabs.getByRole('link', { name: 'Activity' }).click()
    await page
      .getByText(/Pipe .* was created/)
      .first()
      .waitFor()
  })
  it('can be used by everybody', (t) =>
    rig.expectClean(t, `/services/${id}/tables?table=default.orders`, (page) =>
      page.getByRole('cell', { name: 'item' }).waitFor(),
    ))
})
