import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ConfigError, describeOptions, loadConfig } from './load.ts'
import { options } from './options.ts'

/** The names of the variables that are wrong. */
function wrong(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.map((problem) => problem.split(':')[0] ?? '')
  }
}

test('without any variable there is a whole configuration, and it cannot be changed', () => {
  const config = loadConfig({})
  assert.deepEqual([config.host, config.port, config.dataDir], ['127.0.0.1', 8080, './data'])
  assert.deepEqual(config.servicePorts, { from: 18123, to: 18622 })
  assert.deepEqual([config.adminKey, config.dashboardToken, config.organizationId], [null, null, null])
  assert.deepEqual([config.databaseUrl, config.trustProxy, config.timeScale], ['', false, 1])
  assert.ok(Object.isFrozen(config))
})

test('an empty variable is an unset one', () => {
  const empty = Object.fromEntries(Object.values(options).map(({ env }) => [env, '']))
  assert.deepEqual(loadConfig(empty), loadConfig({}))
})

test('every wrong variable is named, and no value is repeated', () => {
  const environment = { GRANARY_PORT: 'x', GRANARY_ADMIN_KEY: 'hidden', GRANARY_SECRET_KEY: 'hidden' }
  assert.deepEqual(wrong(environment), Object.keys(environment))
  assert.throws(
    () => loadConfig(environment),
    (error: Error) => !error.message.includes('hidden'),
  )
})

describe('each option takes what it can use and nothing else', () => {
  const uuid = '11111111-1111-4111-8111-111111111111'
  const bytes = Buffer.alloc(32, 7).toString('base64')
  const cases: Record<string, { good: string[]; bad: string[] }> = {
    GRANARY_PORT: { good: ['0', '65535'], bad: ['-1', '65536', '80.5', '0x50', '1e3', ' 80', 'http'] },
    GRANARY_SERVICE_PORTS: {
      good: ['1-1', '1-65535'],
      bad: ['2-1', '0-5', '1-65536', '1', '1-', 'a-b', '1-2-3'],
    },
    GRANARY_DATABASE_URL: {
      good: ['postgres://h/d', 'postgresql://h/d'],
      bad: ['mysql://h', 'h', 'sqlite:x'],
    },
    GRANARY_ADMIN_KEY: {
      good: [`a:${'b'.repeat(16)}`, 'a:b:c:0123456789ab'],
      bad: ['a', `:${'b'.repeat(16)}`, 'a:', `a:${'b'.repeat(15)}`],
    },
    GRANARY_DASHBOARD_TOKEN: {
      good: ['t'.repeat(16), '~'.repeat(512)],
      bad: ['a b'.repeat(8), 'é'.repeat(16), 't'.repeat(15), 'x'.repeat(513)],
    },
    GRANARY_ORGANIZATION_ID: { good: [uuid, uuid.toUpperCase()], bad: ['x', uuid.slice(1), `${uuid}0`] },
    GRANARY_SECRET_KEY: { good: [bytes], bad: ['x', bytes.slice(4), Buffer.alloc(33).toString('base64')] },
    GRANARY_RATE_LIMIT: { good: ['1', '1000000000'], bad: ['0', '-1', '1.5', 'many'] },
    GRANARY_SPARE_REPLICAS: { good: ['', '0', '4'], bad: ['-1', 'x', '101'] },
    GRANARY_MAX_SERVICES: { good: ['1'], bad: ['0', 'x'] },
    GRANARY_MAX_KEYS: { good: ['1'], bad: ['0', 'x'] },
    GRANARY_TIME_SCALE: { good: ['0.5', '3600'], bad: ['0', '-1', 'NaN', 'Infinity', 'x'] },
    GRANARY_LOG_LEVEL: { good: ['debug', 'silent'], bad: ['DEBUG', 'trace'] },
    GRANARY_ENDPOINT_ORIGINS: {
      good: ['*', 'https://a.example, http://localhost:3000'],
      bad: ['a.example', 'https://a.example/', 'https://a.example,', 'null'],
    },
    GRANARY_TRUST_PROXY: {
      good: ['10.0.0.1', '10.0.0.0/8, ::1'],
      bad: ['nonsense', '10.0.0.1,', '10.0.0.0/99'],
    },
  }
  for (const [name, { good, bad }] of Object.entries(cases)) {
    test(name, () => {
      for (const text of good) assert.deepEqual(wrong({ [name]: text }), [], text)
      for (const text of bad) assert.deepEqual(wrong({ [name]: text }), [name], text)
    })
  }
})

test('ids are kept in lower case, secrets of a key may contain colons', () => {
  const upper = 'ABCDEFAB-1111-4111-8111-111111111111'
  assert.equal(loadConfig({ GRANARY_ORGANIZATION_ID: upper }).organizationId, upper.toLowerCase())
  assert.deepEqual(loadConfig({ GRANARY_ADMIN_KEY: 'a:b:c:0123456789ab' }).adminKey, {
    keyId: 'a',
    keySecret: 'b:c:0123456789ab',
  })
})

test('the help names every option with its default, and no default is a secret', () => {
  const help = describeOptions()
  for (const { env, prose } of Object.values(options))
    assert.ok(help.includes(env) && help.includes(prose), env)
  for (const option of Object.values(options)) if (option.secret) assert.equal(option.fallback, '')
})

test('the operations guide lists every option with its default and meaning, and no other', () => {
  const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const rows = [...guide.matchAll(/^\| `((?:GRANARY|AWS)_\w+)` *\| *(?:`(.*?)`)? *\| *(.*?) *\|$/gm)]
  const listed = rows.map(([, env, fallback, prose]) => ({ env, fallback: fallback ?? '', prose }))
  assert.deepEqual(
    listed,
    Object.values(options).map(({ env, fallback, prose }) => ({ env, fallback, prose })),
  )
})

test('folders of files for pipes are absolute paths', () => {
  const roots = (text: string) => loadConfig({ GRANARY_PIPE_FILE_ROOTS: text }).pipeFileRoots
  assert.deepEqual(roots(''), [])
  assert.deepEqual(roots('/srv/in, /data/x/'), ['/srv/in', '/data/x'])
  for (const text of ['srv', '/srv,', '/', '/srv/..'])
    assert.deepEqual(wrong({ GRANARY_PIPE_FILE_ROOTS: text }), ['GRANARY_PIPE_FILE_ROOTS'], text)
})
