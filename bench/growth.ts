import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { request, startServer, type TestServer } from '../test/support/server.ts'
import { median } from './load.ts'
import type { Bench, Measurement } from './main.ts'

const sizes = {
  small: { services: 10, pipes: 10, backups: 10 },
  large: { services: 10_000, pipes: 50_000, backups: 100_000 },
}

/** Every operation on a single resource, in a store with ten of everything and in one with tens of thousands. */
export const growthBench: Bench = {
  name: 'growth: 10 of each against 10,000 services, 50,000 pipes, 100,000 backups',
  async run() {
    const [small, large] = [await prepare(sizes.small), await prepare(sizes.large)]
    try {
      const measurements: Measurement[] = []
      for (const [name, operation] of Object.entries(operations)) {
        const ratio = await compare(
          () => operation(small),
          () => operation(large),
        )
        measurements.push({ what: name, value: ratio, unit: '×', target: { atMost: 1.1 } })
      }
      return measurements
    } finally {
      await small.server.stop()
      await large.server.stop()
    }
  },
}

interface Subject {
  server: TestServer
  organization: string
  service: string
  pipe: string
  backup: string
  key: string
  activity: string
  /** Rises with every use, so that every PATCH changes a value. */
  counter: number
}

/** Time in the large store over time in the small one: the median of pairs of calls, so that noise hits both of a pair. */
async function compare(small: () => Promise<void>, large: () => Promise<void>): Promise<number> {
  const ratios: number[] = []
  for (let round = 0; round < 160; round++) {
    // In turns: the second call of a pair may find the machine warmer.
    const calls = round % 2 ? [small, large] : [large, small]
    const took = new Map<() => Promise<void>, number>()
    for (const call of calls) {
      const startedAt = performance.now()
      await call()
      took.set(call, performance.now() - startedAt)
    }
    // The first rounds warm up both.
    if (round >= 40) ratios.push((took.get(large) ?? 0) / (took.get(small) ?? 0))
  }
  return median(ratios)
}

async function ok(subject: Subject, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await subject.server.api(method, path, body)
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.result
}

const operations: Record<string, (subject: Subject) => Promise<void>> = {
  'get service': async (s) => void (await ok(s, 'GET', s.service)),
  'patch service': async (s) => void (await ok(s, 'PATCH', s.service, { name: `n${s.counter++}` })),
  'patch replicaScaling': async (s) =>
    void (await ok(s, 'PATCH', `${s.service}/replicaScaling`, { idleTimeoutMinutes: 5 + s.counter++ })),
  'patch scaling': async (s) =>
    void (await ok(s, 'PATCH', `${s.service}/scaling`, { idleTimeoutMinutes: 5 + s.counter++ })),
  'reset password': async (s) => void (await ok(s, 'PATCH', `${s.service}/password`, {})),
  'create service': async (s) => void (await ok(s, 'POST', `${s.organization}/services`, { name: 'made' })),
  'get pipe': async (s) => void (await ok(s, 'GET', s.pipe)),
  'patch pipe': async (s) => void (await ok(s, 'PATCH', s.pipe, { name: `p${s.counter++}` })),
  'patch pipe state': async (s) =>
    void (await ok(s, 'PATCH', `${s.pipe}/state`, { command: s.counter++ % 2 ? 'start' : 'stop' })),
  'create pipe': async (s) => void (await ok(s, 'POST', `${s.service}/pipes`, pipeBody)),
  'pipe scaling': async (s) =>
    void (await ok(s, 'PATCH', `${s.pipe}/scaling`, { replicas: 1 + (s.counter++ % 2) })),
  'pipe settings': async (s) =>
    void (await ok(s, 'PUT', `${s.pipe}/settings`, { db_max_threads: s.counter++ % 2 })),
  'create and delete pipe': async (s) => {
    const { id } = (await ok(s, 'POST', `${s.service}/pipes`, pipeBody)) as { id: string }
    await ok(s, 'DELETE', `${s.service}/pipes/${id}`)
  },
  'get backup': async (s) => void (await ok(s, 'GET', s.backup)),
  'create backup': async (s) => {
    // Without an engine the loop soon ends the previous backup; until then a new one is refused.
    while ((await s.server.api('POST', `${s.service}/backups`)).status === 409);
  },
  'backup configuration': async (s) =>
    void (await ok(s, 'PATCH', `${s.service}/backupConfiguration`, {
      backupPeriodInHours: s.counter++ % 2 ? 12 : 8,
    })),
  'get key': async (s) => void (await ok(s, 'GET', s.key)),
  'patch key': async (s) => void (await ok(s, 'PATCH', s.key, { name: `k${s.counter++}` })),
  'create and delete key': async (s) => {
    const { key } = (await ok(s, 'POST', `${s.organization}/keys`, { name: 'k' })) as { key: { id: string } }
    await ok(s, 'DELETE', `${s.organization}/keys/${key.id}`)
  },
  'metrics of a service': async (s) => void (await ok(s, 'GET', `${s.service}/prometheus`)),
  'create, stop and delete service': async (s) => {
    const { service } = (await ok(s, 'POST', `${s.organization}/services`, { name: 'brief' })) as {
      service: { id: string }
    }
    const path = `${s.organization}/services/${service.id}`
    await ok(s, 'PATCH', `${path}/state`, { command: 'stop' })
    // Deletion is refused until the loops have stopped the service.
    while (((await ok(s, 'GET', path)) as { state: string }).state !== 'stopped');
    await ok(s, 'DELETE', path)
  },
  'create, get, replace and delete dashboard': async (s) => {
    const call = async (method: string, path: string, body?: unknown) => {
      const { url, credentials } = s.server
      const answer = await request(url, `Bearer ${credentials.dashboardToken}`, method, path, body)
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer.body.data
    }
    const { id } = await call('POST', '/api/v2/dashboards', { name: 'd' })
    const path = `/api/v2/dashboards/${id}`
    await call('PUT', path, { ...(await call('GET', path)), name: 'e' })
    await call('DELETE', path)
  },
  'get activity': async (s) => void (await ok(s, 'GET', s.activity)),
  quotas: async (s) => void (await ok(s, 'GET', `${s.organization}/quotas`)),
  'patch state': async (s) =>
    void (await ok(s, 'PATCH', `${s.service}/state`, { command: s.counter++ % 2 ? 'start' : 'stop' })),
  'get organization': async (s) => void (await ok(s, 'GET', s.organization)),
}

const pipeBody = {
  name: 'p',
  source: {
    kafka: { brokers: 'broker:9092', topics: 'events', credentials: { username: 'u', password: 'p' } },
  },
  destination: { database: 'default', table: 't', columns: [{ name: 'a', type: 'String' }] },
  fieldMappings: [{ sourceField: 'a', destinationField: 'a' }],
}

/** Makes one resource of each kind through the API, then copies them in the database until there are enough. */
export async function prepare(size: { services: number; pipes: number; backups: number }): Promise<Subject> {
  const server = await startServer({
    env: {
      GRANARY_SERVICE_PORTS: '20000-45000',
      GRANARY_MAX_SERVICES: '100000',
      GRANARY_RATE_LIMIT: '1000000000',
      GRANARY_LOG_LEVEL: 'warn',
    },
  })
  const organization = `/v1/organizations/${server.credentials.organizationId}`
  const subject: Subject = {
    server,
    organization,
    service: '',
    pipe: '',
    backup: '',
    key: '',
    activity: '',
    counter: 1,
  }
  const { service } = (await ok(subject, 'POST', `${organization}/services`, { name: 'first' })) as {
    service: { id: string }
  }
  subject.service = `${organization}/services/${service.id}`
  const pipe = (await ok(subject, 'POST', `${subject.service}/pipes`, pipeBody)) as { id: string }
  const backup = (await ok(subject, 'POST', `${subject.service}/backups`)) as { id: string }
  const { key } = (await ok(subject, 'POST', `${organization}/keys`, {
    name: 'k',
    roles: ['developer'],
  })) as { key: { id: string } }
  const [activity] = (await ok(subject, 'GET', `${organization}/activities?limit=1`)) as { id: string }[]
  subject.pipe = `${subject.service}/pipes/${pipe.id}`
  subject.backup = `${subject.service}/backups/${backup.id}`
  subject.key = `${organization}/keys/${key.id}`
  subject.activity = `${organization}/activities/${activity?.id}`
  multiply(join(server.dataDir, 'granary.db'), size)
  return subject
}

function multiply(path: string, size: { services: number; pipes: number; backups: number }): void {
  const db = new DatabaseSync(path, { timeout: 60_000 })
  const one = (table: string) =>
    db.prepare(`select * from ${table} limit 1`).get() as Record<string, string | number>
  const insert = (table: string, row: Record<string, string | number>) => {
    const names = Object.keys(row)
    const statement = db.prepare(
      `insert into ${table} (${names.join(',')}) values (${names.map(() => '?').join(',')})`,
    )
    return (change: Record<string, string | number>) => statement.run(...Object.values({ ...row, ...change }))
  }
  db.exec('begin immediate')
  const service = insert('services', one('services'))
  const ids = Array.from({ length: size.services }, () => randomUUID())
  ids.forEach((id, n) => {
    const port = 20_001 + n
    service({ id, warehouse_id: randomUUID(), endpoint_port: port, created_at: n })
    db.prepare('update endpoint_ports set service_id = ? where port = ?').run(id, port)
    // As the loops leave a settled service: due again within the hour.
    db.prepare(
      "insert into work (kind, id, generation, due_at, lease_epoch, attempts, reason) values ('service', ?, 1, ?, 1, 0, '')",
    ).run(id, Date.now() + 3_600_000 * (0.75 + n / size.services / 2))
  })
  db.prepare('update organizations set service_count = service_count + ?').run(size.services)
  const pipe = insert('pipes', one('pipes'))
  const backup = insert('backups', one('backups'))
  for (let n = 0; n < size.pipes; n++)
    pipe({ id: randomUUID(), service_id: ids[n % ids.length] ?? '', created_at: n })
  for (let n = 0; n < size.backups; n++)
    backup({ id: randomUUID(), service_id: ids[n % ids.length] ?? '', started_at: n })
  db.exec('commit')
  db.close()
}
