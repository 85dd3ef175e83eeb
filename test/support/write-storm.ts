import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { type Answer, request, type TestServer } from './server.ts'

/**
 * Several writers at once, and a record of the writes that were acknowledged to them: whatever kills the server
 * or its database in between, all acknowledged writes must be there afterwards.
 */
export interface Storm {
  /** Writes until so many more writes are acknowledged, then calls `strike` and waits for the writers to end. */
  rage(acknowledgements: number, strike: () => Promise<void>): Promise<void>
  /** Reads everything back and compares. */
  verify(): Promise<void>
  /** How many writes were acknowledged so far. */
  acknowledged(): number
}

interface Counter {
  serviceId: string
  /** The last value that was sent, and the last that was acknowledged. */
  sent: number
  kept: number
}

/** Limits for what fifty rounds create; separate ports for each test that runs in parallel. */
export const stormEnvironment = (firstPort: number) => ({
  GRANARY_MAX_SERVICES: '5000',
  GRANARY_MAX_KEYS: '5000',
  GRANARY_SERVICE_PORTS: `${firstPort}-${firstPort + 999}`,
})

export async function createStorm(server: TestServer): Promise<Storm> {
  const organization = `/v1/organizations/${server.credentials.organizationId}`
  const dashboards = (method: string, path: string, body?: unknown) =>
    request(server.url, `Bearer ${server.credentials.dashboardToken}`, method, path, body)
  const counters: Counter[] = []
  const made = { services: new Set<string>(), keys: new Set<string>(), dashboards: new Set<string>() }
  let count = 0

  for (let n = 0; n < 3; n += 1) {
    const { body } = ok(await server.api('POST', `${organization}/services`, { name: `counter ${n}` }))
    const { id, idleTimeoutMinutes } = body.result.service as Service
    counters.push({ serviceId: id, sent: idleTimeoutMinutes, kept: idleTimeoutMinutes })
    made.services.add(id)
  }

  /** Each does one write; its promise resolves when the write was acknowledged. */
  const writes: (() => Promise<void>)[] = [
    ...counters.map((counter) => async () => {
      counter.sent += 1
      const value = counter.sent
      const path = `${organization}/services/${counter.serviceId}/replicaScaling`
      ok(await server.api('PATCH', path, { idleTimeoutMinutes: value }))
      counter.kept = value
    }),
    async () => {
      const answer = ok(await server.api('POST', `${organization}/services`, { name: 'made' }))
      made.services.add(answer.body.result.service.id)
    },
    async () => {
      const answer = ok(await server.api('POST', `${organization}/keys`, { name: 'made' }))
      made.keys.add(answer.body.result.key.id)
    },
    async () => {
      const answer = ok(await dashboards('POST', '/api/v2/dashboards', { name: 'made' }))
      made.dashboards.add(answer.body.data.id)
    },
  ]

  return {
    acknowledged: () => count,
    async rage(acknowledgements, strike) {
      const until = count + acknowledgements
      let struck: Promise<void> | undefined
      const writers = writes.map(async (write) => {
        while (!struck) {
          try {
            await write()
          } catch (error) {
            // A write that is cut off may or may not have been done; before the strike no write may fail.
            if (!struck) throw error
            return
          }
          count += 1
          if (count === until) struck = strike()
        }
      })
      await Promise.all(writers)
      await struck
    },
    async verify() {
      const services = ok(await server.api('GET', `${organization}/services`)).body.result as Service[]
      const keys = ok(await server.api('GET', `${organization}/keys`)).body.result as { id: string }[]
      const boards = ok(await dashboards('GET', '/api/v2/dashboards')).body.data as { id: string }[]
      includesAll('services', services, made.services)
      includesAll('keys', keys, made.keys)
      includesAll('dashboards', boards, made.dashboards)
      const ports = services.map(({ endpoints }) => endpoints[0]?.port)
      assert.equal(new Set(ports).size, services.length, 'two services have one port')
      for (const counter of counters) {
        const value = services.find(({ id }) => id === counter.serviceId)?.idleTimeoutMinutes ?? 0
        const range = `${counter.kept} to ${counter.sent}`
        assert.ok(value >= counter.kept && value <= counter.sent, `a counter is ${value}, not ${range}`)
        // A write that was cut off may have been done; a value that was read must never go back.
        counter.kept = value
      }
    },
  }
}

interface Service {
  id: string
  idleTimeoutMinutes: number
  endpoints: { port: number }[]
}

function includesAll(what: string, there: { id: string }[], wanted: Set<string>): void {
  const ids = new Set(there.map(({ id }) => id))
  const missing = [...wanted].filter((id) => !ids.has(id))
  assert.deepEqual(missing, [], `acknowledged ${what} are gone`)
}

function ok(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}

/**
 * Rules that hold between rows whenever the server is not writing, on every database: each query counts the rows
 * that break its rule.
 */
export const brokenRules = {
  'a service has no port of its own': `select count(*) as n from services where not exists (
     select 1 from endpoint_ports where service_id = services.id and port = services.endpoint_port)`,
  'a port belongs to nobody': `select count(*) as n from endpoint_ports where service_id is not null
     and service_id not in (select id from services)`,
  'a service is not in the queue': `select count(*) as n from services where not exists (
     select 1 from work where kind = 'service' and work.id = services.id)`,
  'a generation was lost': `select count(*) as n from services
     join work on work.kind = 'service' and work.id = services.id where work.generation <> services.generation`,
  'a warehouse is not backed up': `select count(*) as n from services where is_primary = 1 and not exists (
     select 1 from work where kind = 'backup_schedule' and work.id = services.id)`,
  'two backups of a service run': `select count(*) as n from (select service_id from backups
     where status = 'in_progress' group by service_id having count(*) > 1) as doubled`,
  'a service is not in the trail': `select count(*) as n from services where not exists (
     select 1 from activities where service_id = services.id)`,
  'services are counted wrong': `select count(*) as n from organizations where service_count <> (
     select count(*) from services where organization_id = organizations.id)`,
  'keys are counted wrong': `select count(*) as n from organizations where key_count <> (
     select count(*) from keys where organization_id = organizations.id)`,
}

/** Pseudorandom numbers; GRANARY_TEST_SEED sets the seed. */
export function createDice(): { seed: number; roll(from: number, to: number): number } {
  const seed = Number(process.env['GRANARY_TEST_SEED'] ?? randomInt(2 ** 31))
  let state = seed
  return {
    seed,
    // mulberry32
    roll(from, to) {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return from + (((mixed ^ (mixed >>> 14)) >>> 0) % (to - from + 1))
    },
  }
}
