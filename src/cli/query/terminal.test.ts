import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { serviceId } from '../../../test/support/cli-samples.ts'
import { type FakeAnswer, startFakeApi } from '../../../test/support/fake-api.ts'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import { noTerminal, openTerminal, type Terminal } from '../../../test/support/terminal.ts'

const organization = '00000000-0000-4000-8000-000000000000'
const path = `/v1/organizations/${organization}/services/${serviceId}/query`
const headers = { 'content-type': 'application/x-ndjson' }
const columns = `{"kind":"columns","columns":[{"name":"answer","type":"UInt8"}]}\n`

/** Answers a row, or never ends; `left` resolves when the caller has gone. */
function answers() {
  const left = Promise.withResolvers<void>()
  const row: FakeAnswer = { headers, body: `${columns}{"kind":"rows","rows":[[42]]}\n` }
  const endless: FakeAnswer = {
    headers,
    async *pieces({ signal }) {
      yield '{"kind":"progress","readRows":1,"totalRows":4,"readBytes":8,"memoryBytes":null,"elapsedMs":10}\n'
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      left.resolve()
    },
  }
  return { row, endless, left: left.promise }
}

const start = (url: string, state: string, ...argv: string[]): Terminal => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const words = [process.execPath, main, 'query', serviceId, ...argv]
  const env = {
    ...{ PATH: process.env['PATH'], TERM: 'xterm', XDG_STATE_HOME: state, GRANARY_URL: url },
    ...{ GRANARY_ADMIN_KEY: 'id:secret-secret', GRANARY_ORGANIZATION_ID: organization },
  }
  return openTerminal(words.map((word) => `'${word}'`).join(' '), { cwd: state, env })
}

async function until(terminal: Terminal, text: RegExp): Promise<void> {
  const ended = terminal.ended.then(() => true)
  while (!text.test(terminal.output()))
    if (await Promise.race([ended, setTimeout(20, false)])) {
      assert.match(terminal.output(), text)
      return
    }
}

test('Ctrl-C cancels the query and exits with 130', { skip: noTerminal }, async (t) => {
  await using api = await startFakeApi()
  const { endless, left } = answers()
  api.on('POST', path, endless)
  const terminal = start(api.url, temporaryFolder(t), 'SELECT 1')
  await until(terminal, /\[===== +\] 25 %/)
  terminal.interrupt()
  assert.equal(await terminal.ended, 130)
  await left
})

test('the prompt: lines until ";", Ctrl-C ends a query only, the history is the owner’s', {
  skip: noTerminal,
}, async (t) => {
  await using api = await startFakeApi()
  const { row, endless, left } = answers()
  api.on('POST', path, row, endless)
  const state = temporaryFolder(t)
  const terminal = start(api.url, state)
  await until(terminal, /granary> /)
  terminal.type('SELECT\r')
  await until(terminal, / -> /)
  terminal.type('42;\r')
  await until(terminal, /answer[^\n]*\n[^\n]*42/)
  await until(terminal, /42[\s\S]*granary> /)
  terminal.type('SELECT 2;\r')
  await until(terminal, /25 %/)
  terminal.interrupt()
  await left
  await until(terminal, /cancelled[\s\S]*granary> /)
  terminal.type('exit\r')
  assert.equal(await terminal.ended, 0)
  assert.deepEqual(
    api.seen.map(({ body }) => (body as { query: string }).query),
    ['SELECT\n42', 'SELECT 2'],
  )
  const history = join(state, 'granary/query-history')
  assert.equal(readFileSync(history, 'utf8'), 'SELECT\n42;\nSELECT 2;\n')
  assert.equal(statSync(history).mode & 0o777, 0o600)
})
