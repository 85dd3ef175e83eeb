import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { startConsole } from './rig/start-console.ts'

const rig = await startConsole({ after })
const { api, credentials, dataDir, url } = rig.server
const organization = `/v1/organizations/${credentials.organizationId}`
const { id } = await rig.warehouse.create({ name: 'events' })
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
