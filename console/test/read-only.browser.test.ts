import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after })
const { api, credentials, dataDir, url } = rig.server
const organization = `/v1/organizations/${credentials.organizationId}`
const { id } = await rig.warehouse.create({ name: 'events' })
const vault = await rig.warehouse.create({ name: 'vault' })
const service = `/services/${id}`

async function made(path: string, body: object): Promise<Record<string, string>> {
  const answer = await api('POST', path, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.result
}
/** Of the dashboard API. */
async function drawn(path: string, body: object): Promise<Record<string, string>> {
  const headers = {
    authorization: `Bearer ${credentials.dashboardToken}`,
    'content-type': 'application/json',
  }
  const answer = await fetch(`${url}/api/v2${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  assert.ok(answer.ok, text)
  return JSON.parse(text).data
}

const files = join(dataDir, 'files', 'orders')
mkdirSync(files, { recursive: true })
writeFileSync(join(files, '1.json'), '{"at":"2026-11-14 08:00:00","item":"oat"}\n')
const pipe = await made(`${organization}${service}/pipes`, {
  name: 'orders',
  source: { objectStorage: { url: `file://${files}/*.json`, format: 'JSONEachRow' } },
  destination: {
    ...{ table: 'orders', managedTable: true },
    columns: [
      { name: 'at', type: 'DateTime' },
      { name: 'item', type: 'String' },
    ],
    tableDefinition: { engine: { type: 'MergeTree' }, sortingKey: ['at'] },
  },
  fieldMappings: ['at', 'item'].map((name) => ({ sourceField: name, destinationField: name })),
})
const text = { type: 'markdown', content: 'Grain.' }
const number = {
  type: 'number',
  dataSource: 'events · default.orders',
  aggFn: 'count',
  where: '',
  groupBy: [],
}
const dashboard = await drawn('/dashboards', {
  name: 'Shop',
  tiles: [
    { name: 'Text', x: 0, y: 0, w: 6, h: 4, series: [text] },
    { name: 'Orders', x: 6, y: 0, w: 6, h: 4, series: [number] },
  ],
})
const { keyId = '', keySecret = '' } = await made(`${organization}/keys`, {
  ...{ name: 'reader', roles: ['developer'] },
})

/** Pages on which there is something that an admin could do. */
const locked = [
  ...['/', '/services/new', service, `${service}/tables`, `${service}/pipes`, `${service}/backups`],
  ...[`${service}/access`, `${service}/pipes/new`, `${service}/pipes/new/kafka`],
  ...[
    `${service}/pipes/${pipe['id']}`,
    `/sql/${id}`,
    '/pipes',
    '/pipes/new',
    '/dashboards',
    '/dashboards/import',
  ],
  ...['', '/edit', '/tiles/new', '/versions/1'].map((path) => `/dashboards/${dashboard['id']}${path}`),
  ...['/alerts', '/alerts/new', '/sources', '/sources/new', '/keys', '/settings'],
]
const open = ['/backups', '/activity', `${service}/activity`, '/pipez']
const deeds =
  /^(New(?! query)|Save|Add|Edit|Delete|Remove|Rename|Start|Stop|Restore|Resync|Back up|Replace|Import|Duplicate|Turn|End)\b/

describe('a key that only reads', () => {
  for (const path of [...locked, ...open]) {
    it(`is refused nothing by ${path.replaceAll(/[0-9a-f-]{20,}/g, ':id')}, and finds no action there`, async (t) => {
      const page = await rig.open(t, path, { signedIn: { keyId, keySecret } })
      const main = page.getByRole('main')
      const lock = main.getByText(/^This key only reads/)
      if (locked.includes(path)) await lock.first().waitFor()
      while ((await main.locator('[aria-busy=true]').count()) > 0) await page.waitForTimeout(50)
      assert.ok((await lock.count()) <= 1, 'the lock line stands there once')
      const names = await main
        .getByRole('button')
        .or(main.getByRole('link'))
        .evaluateAll((all) => all.map((one) => one.ariaLabel ?? one.textContent.trim()))
      assert.deepEqual(
        names.filter((name) => deeds.test(name)),
        [],
      )
    })
  }
})

describe('a key of one service', () => {
  const granted = made(`${organization}/keys`, {
    ...{ name: 'tenant', serviceGrants: [{ serviceId: id, role: 'admin' }] },
  })
  const open = async (t: Parameters<typeof rig.open>[0], path: string, expects: RegExp[] = []) => {
    const { keyId = '', keySecret = '' } = await granted
    return rig.open(t, path, { signedIn: { keyId, keySecret }, expects })
  }
  const settled = async (page: Page) => {
    while ((await page.getByRole('main').locator('[aria-busy=true]').count()) > 0)
      await page.waitForTimeout(50)
  }

  for (const path of [
    ...['/', service, `${service}/tables`, `${service}/pipes`, `${service}/backups`, `${service}/access`],
    ...[`${service}/pipes/new`, `${service}/pipes/new/kafka`, `${service}/pipes/${pipe['id']}`],
    ...['/sql', `/sql/${id}`, '/pipes', '/pipes/new', '/backups', '/settings'],
  ]) {
    it(`works on ${path.replaceAll(/[0-9a-f-]{20,}/g, ':id')}, and sees no other service there`, async (t) => {
      const page = await open(t, path)
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'events' }).waitFor()
      await settled(page)
      assert.equal(await page.getByText('vault').count(), 0)
      assert.equal(await page.getByText(/^This key only reads/).count(), 0)
    })
  }

  for (const path of [
    ...['/dashboards', `/dashboards/${dashboard['id']}`, '/dashboards/import', '/alerts', '/alerts/new'],
    ...['/sources', '/activity', '/keys', '/services/new', `${service}/activity`],
  ]) {
    it(`is told that it does not reach ${path.replaceAll(/[0-9a-f-]{20,}/g, ':id')}`, async (t) => {
      const page = await open(t, path)
      await page
        .getByRole('main')
        .getByText(/^This key is for some services only/)
        .waitFor()
      await settled(page)
    })
  }

  it('finds what it reaches in the navigation, and nothing else', async (t) => {
    const page = await open(t, '/')
    const names = await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('listitem')
      .evaluateAll((all) => all.map((one) => one.textContent?.trim()))
    assert.deepEqual(
      names.filter((name) => name !== undefined && !name.startsWith('events')),
      ['Overview', 'SQL', 'Pipes', 'Backups', 'Settings'],
    )
    await page.getByRole('button', { name: 'Actions for events' }).waitFor()
    await page.getByText('it cannot make services').waitFor()
  })

  it('finds nothing under the address of another service', async (t) => {
    const page = await open(t, `/services/${vault.id}`, [/answered 404/])
    await page.getByRole('main').getByRole('alert').first().waitFor()
    assert.equal(await page.getByText('vault').count(), 0)
  })

  it('does its work: it stops and starts the service', async (t) => {
    const page = await open(t, service)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Stop events' }).click()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  })
})
