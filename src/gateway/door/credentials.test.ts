import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCredentials } from './credentials.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

function read(given: {
  authorization?: string
  user?: string
  key?: string
  params?: [string | undefined, string?]
}) {
  const { authorization = null, user = '', key = '', params: [name, password] = [] } = given
  return readCredentials({ authorization, user, key }, { user: name ?? null, password: password ?? null })
}

test('each way to say who one is', () => {
  assert.deepEqual(read({}), { user: 'default', password: '' })
  assert.deepEqual(read({ user: 'u', key: 'k' }), { user: 'u', password: 'k' })
  assert.deepEqual(read({ user: 'u' }), { user: 'u', password: '' })
  assert.deepEqual(read({ params: ['u', 'p'] }), { user: 'u', password: 'p' })
  assert.deepEqual(read({ params: [undefined, 'p'] }), { user: 'default', password: 'p' })
  assert.deepEqual(read({ authorization: basic('u:p:q') }), { user: 'u', password: 'p:q' })
  assert.deepEqual(read({ authorization: `bASIC   ${basic('ü:ß').slice(6)} ` }), { user: 'ü', password: 'ß' })
  assert.deepEqual(read({ authorization: basic('u') }), { user: 'u', password: '' })
})

test('parameters win over Authorization, and `never` means none', () => {
  assert.deepEqual(read({ authorization: basic('a:b'), params: ['u', 'p'] }), { user: 'u', password: 'p' })
  assert.deepEqual(read({ authorization: 'never' }), { user: 'default', password: '' })
  assert.deepEqual(read({ authorization: 'never', user: 'u', key: 'k' }), { user: 'u', password: 'k' })
})

test('what does not go together, and what is no credential', () => {
  const problem = (given: Parameters<typeof read>[0]) => {
    const result = read(given)
    return 'problem' in result ? result.problem : ''
  }
  assert.match(
    problem({ user: 'u', authorization: basic('a:b') }),
    /X-ClickHouse .*Authorization .*simultaneously/,
  )
  assert.match(problem({ key: 'k', user: 'u', params: ['u'] }), /X-ClickHouse .*parameters simultaneously/)
  assert.match(problem({ key: 'k' }), /empty user name from X-ClickHouse/)
  assert.match(problem({ params: ['', 'p'] }), /empty user name from authentication via parameters/)
  assert.match(problem({ authorization: basic(':p') }), /empty user name from Authorization/)
  assert.match(problem({ authorization: 'Basic' }), /empty user name/)
  assert.match(
    problem({ authorization: 'Bearer abc' }),
    /'Bearer' HTTP Authorization scheme is not supported/,
  )
})
