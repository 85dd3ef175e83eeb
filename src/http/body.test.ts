import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { AppError } from '../domain/errors.ts'
import { registerBodyParser } from './body.ts'

const app = Fastify({ logger: false })
registerBodyParser(app)
app.setErrorHandler((error: Error, _request, reply) => {
  const status =
    error instanceof AppError ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
  void reply.code(status).send({ issues: error instanceof AppError ? error.issues : [] })
})
app.post('/', async (request) => ({ body: request.body ?? 'none' }))
after(() => app.close())

async function post(payload: string | Buffer, type = 'application/json', headers = {}) {
  const response = await app.inject({
    method: 'POST',
    url: '/',
    payload,
    headers: { 'content-type': type, ...headers },
  })
  return { status: response.statusCode, ...response.json() }
}

test('JSON in UTF-8 is read, however its type is spelt', async () => {
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
  ])
    assert.deepEqual(await post('{"a":"é"}', type), { status: 200, body: { a: 'é' } }, type)
  const identity = await post('{}', 'application/json', { 'content-encoding': 'identity' })
  assert.equal(identity.status, 200)
})

test('anything else is 415', async () => {
  for (const type of [
    'text/json',
    'application/json-patch+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ])
    assert.equal((await post('{}', type)).status, 415, type)
  assert.equal((await post('{}', 'application/json; charset=iso-8859-1')).status, 415)
  for (const coding of ['gzip', 'br', 'GZIP'])
    assert.equal((await post('{}', 'application/json', { 'content-encoding': coding })).status, 415, coding)
})

test('an empty body is no body', async () => {
  assert.deepEqual(await post(''), { status: 200, body: 'none' })
})

test('what is wrong is named: the field where it is one, else the body', async () => {
  const paths = async (payload: string | Buffer) =>
    (await post(payload)).issues.map(({ path }: { path: unknown[] }) => path)
  assert.deepEqual(await paths('{"a":{"b":1,"b":2}}'), [['a', 'b']])
  assert.deepEqual(await paths('{"a":[1,1e999]}'), [['a', 1]])
  assert.deepEqual(await paths('{"a":'), [['body']])
  assert.deepEqual(await paths(Buffer.from([0x22, 0xff, 0x22])), [['body']])
})
