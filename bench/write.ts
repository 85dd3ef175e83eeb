import { basic, startServer } from '../test/support/server.ts'
import { httpRequest, load, median } from './load.ts'
import type { Bench } from './main.ts'

/** PATCH …/replicaScaling: each change is on the disk before it is answered. */
export const writeBench: Bench = {
  name: 'PATCH replicaScaling, durable',
  async run() {
    const server = await startServer({ env: { GRANARY_RATE_LIMIT: '1000000000' } })
    try {
      const { organizationId } = server.credentials
      const created = await server.api('POST', `/v1/organizations/${organizationId}/services`, {
        name: 'bench',
      })
      const path = `/v1/organizations/${organizationId}/services/${created.body.result.service.id}/replicaScaling`
      const headers = { authorization: basic(server.credentials) }
      const port = Number(new URL(server.url).port)
      let value = 5
      // A new value each time: a PATCH that changes nothing would not be written.
      const request = () =>
        httpRequest('PATCH', path, headers, JSON.stringify({ idleTimeoutMinutes: ++value }))
      const measure = async (requests: number) => {
        const result = await load({ port, connections: 16, requests, request })
        if (result.failed > 0) throw new Error(`${result.failed} requests failed`)
        return result.perSecond
      }
      await measure(1_000)
      const rounds = [await measure(3_000), await measure(3_000), await measure(3_000)]
      return [{ what: 'PATCH replicaScaling', value: median(rounds), unit: '/s', target: { atLeast: 2_000 } }]
    } finally {
      await server.stop()
    }
  },
}
