import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { basic, freePort, startServer } from '../test/support/server.ts'
import { httpRequest, load, median } from './load.ts'
import type { Bench } from './main.ts'

/** GET of one service, authenticated and read from the store, against a bare route that answers the same bytes. */
export const readBench: Bench = {
  name: 'GET one service',
  async run() {
    const server = await startServer({ env: { GRANARY_RATE_LIMIT: '1000000000' } })
    const { organizationId } = server.credentials
    const created = await server.api('POST', `/v1/organizations/${organizationId}/services`, {
      name: 'bench',
    })
    const path = `/v1/organizations/${organizationId}/services/${created.body.result.service.id}`
    const answer = await server.api('GET', path)

    const port = await freePort()
    const env = { ...process.env, BARE_PORT: String(port), BARE_BODY: JSON.stringify(answer.body) }
    const bare = spawn(process.execPath, [fileURLToPath(new URL('./bare.ts', import.meta.url))], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(bare.stdout, 'data')
    try {
      const headers = { authorization: basic(server.credentials) }
      const measure = async (target: number, requests: number) => {
        const result = await load({
          port: target,
          connections: 32,
          requests,
          request: () => httpRequest('GET', path, headers),
        })
        if (result.failed > 0) throw new Error(`${result.failed} requests failed`)
        return result.perSecond
      }
      const granaryPort = Number(new URL(server.url).port)
      await measure(granaryPort, 10_000)
      await measure(port, 10_000)
      // In turns, so that other load on the machine hits both sides.
      const rounds: { ours: number; theirs: number }[] = []
      for (let round = 0; round < 5; round++) {
        rounds.push({ ours: await measure(granaryPort, 10_000), theirs: await measure(port, 10_000) })
      }
      return [
        { what: 'GET service', value: median(rounds.map(({ ours }) => ours)), unit: '/s' },
        {
          what: 'bare Fastify route, same bytes',
          value: median(rounds.map(({ theirs }) => theirs)),
          unit: '/s',
        },
        {
          what: 'ratio',
          value: median(rounds.map(({ ours, theirs }) => ours / theirs)),
          unit: '×',
          target: { atLeast: 0.5 },
        },
      ]
    } finally {
      bare.kill()
      await server.stop()
    }
  },
}
