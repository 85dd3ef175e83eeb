import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOf } from './request.ts'

const path = '/v1/organizations/{organizationId}/services/{serviceId}'

test('a call becomes a path, a query and a body', () => {
  const route = { method: 'PATCH', path, takesBody: true } as const
  const input = {
    params: { serviceId: 'a/b' },
    query: { range: '24h', cursor: undefined },
    body: { name: 'x' },
  }
  assert.deepEqual(requestOf(route, input, 'o-1'), {
    ...{ method: 'PATCH', url: '/v1/organizations/o-1/services/a%2Fb?range=24h', body: '{"name":"x"}' },
  })
})

test('an id that would change the path is refused', () => {
  for (const serviceId of ['', '.', '..']) {
    assert.throws(() => requestOf({ method: 'GET', path }, { params: { serviceId } }, 'o-1'), /serviceId/)
  }
})
