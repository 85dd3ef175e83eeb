import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
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

describe('dashboards', () => {
  it('begin with what fits the data', async (t) => {
    const page = await rig.open(t, '/dashboards')
    await page.getByText('There is no dashboard yet.').waitFor()
    await page.getByRole('button', { name: 'New dashboard for default.requests' }).click()
    await page.getByRole('heading', { level: 1, name: 'default.requests' }).waitFor()
    await page.getByRole('img', { name: /^Rows by level/ }).waitFor()
    await page.getByRole('cell', { name: 'checkout', exact: true }).first().waitFor()
    await page.getByRole('cell', { name: 'request 3', exact: true }).waitFor()
    if (process.env['SHOTS']) {
      await page.waitForTimeout(1000)
      await page.screenshot({ path: `${process.env['SHOTS']}/dash-dark.png`, fullPage: true })
      await page.emulateMedia({ colorScheme: 'light' })
      await page.screenshot({ path: `${process.env['SHOTS']}/dash-light.png`, fullPage: true })
      await page.setViewportSize({ width: 390, height: 900 })
      await page.waitForTimeout(500)
      await page.screenshot({ path: `${process.env['SHOTS']}/dash-390.png`, fullPage: true })
    }
  })
})
