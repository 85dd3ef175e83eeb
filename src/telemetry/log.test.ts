import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

/** The output of a process that logs this; the log goes to standard output, so it needs its own process. */
function logged(statement: string): { text: string; line: Record<string, unknown> } {
  const module = new URL('./log.ts', import.meta.url).href
  const script = `import { createLog } from '${module}'
    const log = createLog({ level: 'info', pretty: false })
    ${statement}`
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  return { text, line: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}

test('what sounds like a secret is cut out, at any depth; the rest stays', () => {
  const { text, line } = logged(
    `log.info({ requestId: 'r', password: 'hidden', source: { kafka: { credentials: 'hidden', topics: 't' } } }, 'said')`,
  )
  assert.ok(!text.includes('hidden'), text)
  assert.deepEqual(
    [line['requestId'], line['password'], line['source'], line['msg']],
    ['r', '[redacted]', { kafka: { credentials: '[redacted]', topics: 't' } }, 'said'],
  )
})

test('of errors and their causes only name, message, code and stack are told', () => {
  const { text, line } = logged(
    `const cause = Object.assign(new Error('inner'), { code: 'ECODE', parameters: ['hidden'], detail: 'hidden' })
     log.error({ err: new Error('outer', { cause }) }, 'said')`,
  )
  assert.ok(!text.includes('hidden'), text)
  const { name, message, cause } = line['err'] as {
    name: string
    message: string
    cause: Record<string, unknown>
  }
  assert.deepEqual([name, message, cause['message'], cause['code']], ['Error', 'outer', 'inner', 'ECODE'])
})

test('below its level nothing is written', () => {
  assert.equal(logged(`log.debug({ a: 1 }, 'unsaid')`).text, '')
})
