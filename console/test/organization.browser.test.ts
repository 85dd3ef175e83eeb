import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after }, { engine: 'none' })

describe('keys', () => {
  it('are made by keyboard, shown once, and deleted', async (t) => {
    const page = await rig.open(t, '/keys')
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'New key' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('ci')
    await page.keyboard.press('Enter')
    const shown = page.getByRole('dialog', { name: 'ci is made' })
    await shown.getByRole('button', { name: 'Copy the key secret' }).waitFor()
    await page.keyboard.press('Escape')
    await shown.getByRole('button', { name: 'I have kept it' }).click()
    const row = page.getByRole('row').filter({ hasText: 'ci' })
    await row.getByText('developer').waitFor()
    await row.getByRole('button', { name: 'Actions of ci' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete ci' }).click()
    await row.waitFor({ state: 'detached' })
  })
  it('say what is wrong at the field', async (t) => {
    const page = await rig.open(t, '/keys', { expects: [/answered 400/] })
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator('[aria-invalid="true"]')).waitFor()
  })
  it('can be used by everybody', (t) => rig.expectClean(t, '/keys'))
})

describe('settings', () => {
  it('rename the organization', async (t) => {
    const page = await rig.open(t, '/settings')
    await page.getByRole('textbox', { name: 'Name' }).fill('Harvest')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    const { body } = await rig.server.api('GET', `/v1/organizations/${rig.server.credentials.organizationId}`)
    assert.equal(body.result.name, 'Harvest')
  })
  it('can be used by everybody', (t) => rig.expectClean(t, '/settings'))
})

describe('activity', () => {
  it('tells who changed what, filtered by the address', async (t) => {
    const page = await rig.open(t, '/activity?type=key')
    const entry = page
      .getByRole('listitem')
      .filter({ hasText: /Key .* was created/ })
      .first()
    await entry.getByText('was created').click()
    await entry.getByText('Request').waitFor()
    assert.equal(await page.getByText('The organization was changed').count(), 0)
  })
  it('can be used by everybody', (t) => rig.expectClean(t, '/activity'))
})
