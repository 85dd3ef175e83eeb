import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { clipboardOf, withClipboard } from './rig/clipboard.ts'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after })
const events = await rig.warehouse.create({ name: 'events' })

describe('a service', () => {
  it('shows its replicas and how to connect, and is stopped and started', async (t) => {
    const page = await rig.open(t, `/services/${events.id}`)
    await page.getByRole('heading', { level: 1, name: 'events' }).waitFor()
    await page.getByText('Writer').waitFor()
    await page.getByRole('button', { name: 'Copy the endpoint' }).waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Stop events' }).click()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('Writer').waitFor()
  })
  it('takes new bounds, and says at the field what is wrong with them', async (t) => {
    const page = await rig.open(t, `/services/${events.id}`, { expects: [/answered 400/] })
    const most = page.getByRole('spinbutton', { name: 'Most memory per replica' })
    await most.fill('13')
    await page.getByRole('button', { name: 'Save' }).click()
    await most.and(page.locator('[aria-invalid="true"]')).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
  })
  it('gives its scaling to scripts', async (t) => {
    const page = await rig.open(t, `/services/${events.id}`, withClipboard)
    await page.getByRole('spinbutton', { name: 'Most memory per replica' }).fill('24')
    const copied = async (name: string) => {
      await page.getByRole('button', { name: 'More of scaling' }).click()
      await page.getByRole('menuitem', { name }).click()
      return clipboardOf(page)
    }
    assert.equal(await copied('Copy as granary'), `granary services scale ${events.id} --max-memory 24`)
    const curl = await copied('Copy as curl')
    assert.match(curl, new RegExp(`-X PATCH .*/services/${events.id}/replicaScaling`))
    assert.match(curl, /"maxReplicaMemoryGb": 24/)
    await page.getByRole('button', { name: 'Discard' }).click()
  })
  it('can be used by everybody', (t) => rig.expectClean(t, `/services/${events.id}`))
  it('and so can its access', (t) => rig.expectClean(t, `/services/${events.id}/access`))
})

describe('a new service', () => {
  it('is given to scripts before it is made', async (t) => {
    const page = await rig.open(t, '/services/new', withClipboard)
    await page.getByRole('textbox', { name: 'Name' }).fill('winter grain')
    await page.getByRole('button', { name: 'Copy as granary' }).click()
    assert.match(await clipboardOf(page), /^granary services create --name 'winter grain' /)
    await page.getByRole('button', { name: 'curl', exact: true }).click()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    assert.match(await clipboardOf(page), /^curl -u .* -X POST .*"name": "winter grain"/s)
    await page.getByRole('textbox', { name: 'Name' }).fill('')
  })
  it('is made by keyboard; its password is shown once', async (t) => {
    const page = await rig.open(t, '/services/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('finance')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'The password of finance' })
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('heading', { level: 1, name: 'finance' }).waitFor()
  })
  it('can be used by everybody', (t) => rig.expectClean(t, '/services/new'))
})
