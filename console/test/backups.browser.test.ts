import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { clipboardOf, withClipboard } from './rig/clipboard.ts'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after })
const { id, sql } = await rig.warehouse.create({ name: 'events' })
await sql('CREATE TABLE default.orders (at DateTime, item String) ORDER BY at')
await sql("INSERT INTO default.orders VALUES ('2026-11-14 08:00:00', 'oat')")
const root = `/services/${id}/backups`

describe('the backups of a service', () => {
  it('are made by hand, read back, drawn as a chain, and opened by keyboard', async (t) => {
    const page = await rig.open(t, root)
    await page.getByText('There is no backup yet.').first().waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByRole('row').getByText('Good').waitFor()
    const column = page.getByRole('button', { name: /, full, good/ })
    await column.focus()
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog', { name: /^Backup of/ })
    await sheet.getByText('no other backup').waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
  })
  it('are restored into a new service, whose password is shown once', async (t) => {
    const page = await rig.open(t, root)
    await page.getByRole('link', { name: /^Restore the backup of/ }).click()
    const sheet = page.getByRole('dialog', { name: /^Backup of/ })
    await sheet.getByLabel('New name').fill('events again')
    await sheet.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('dialog', { name: 'The password of events again' }).waitFor()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('navigation', { name: 'Main' }).getByText('events again').waitFor()
  })
  it('are given to scripts', async (t) => {
    const page = await rig.open(t, root, withClipboard)
    const copied = async (name: string) => {
      await page.getByRole('button', { name: 'More of backups' }).click()
      await page.getByRole('menuitem', { name }).click()
      return clipboardOf(page)
    }
    assert.equal(await copied('Copy as granary'), `granary backups create ${id} --wait`)
    assert.match(await copied('Copy as curl'), new RegExp(`-X POST .*/services/${id}/backups`))
  })
  it('have a schedule that is changed in place', async (t) => {
    const page = await rig.open(t, root)
    const form = page.getByRole('form', { name: 'Schedule' })
    await form.getByLabel('Keep for').selectOption('14 days')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    await page.reload()
    await form.locator('option:checked', { hasText: '14 days' }).waitFor({ state: 'attached' })
  })
  it('say at the field why a bucket is refused', async (t) => {
    const page = await rig.open(t, root, { expects: [/answered 400/] })
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Where backups go' })
    await dialog.getByRole('textbox', { name: 'Bucket' }).fill('nonsense')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('[aria-invalid="true"]').waitFor()
  })
  it('can be used by everybody', (t) => rig.expectClean(t, root))
  it('and with a sheet open', (t) =>
    rig.expectClean(t, root, async (page) => {
      await page.getByRole('link', { name: /^Restore the backup of/ }).click()
      await page.getByRole('dialog', { name: /^Backup of/ }).waitFor()
    }))
})

describe('the backups of all services', () => {
  it('can be used by everybody', (t) => rig.expectClean(t, '/backups'))
})
