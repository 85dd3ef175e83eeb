import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { patienceMs } from '../support/patience.ts'
import { untilPipe } from '../support/pipes/file-pipe.ts'
import { type PostgresRig, startPostgresRig } from '../support/pipes/postgres-rig.ts'
import type { Ends } from '../support/server.ts'
import { processesOf, replicasOf, startWarehouse } from '../support/warehouse.ts'
import type { Tell } from './main.ts'
import { killAll, workersOf } from './pipes.ts'

const victims = [
  ...['a worker', 'the replica', 'the source', 'the server'],
  'the server, the replica and every worker',
] as const

/**
 * A pipe from Postgres whose worker, service, server and source are killed again and again while tables change. In the
 * end each table of the service is its source, value by value.
 */
export async function postgresPipeStorm(
  ends: Ends,
  rounds: number,
  tell: Tell = () => 'go on',
): Promise<void> {
  const postgres = await startPostgresRig(ends, { logical_decoding_work_mem: '64kB' })
  await postgres.sql(schema)
  const { create, server, api } = await startWarehouse(ends, { env: { GRANARY_LOG_LEVEL: 'warn' } })
  const service = await create({ name: 'storm' })
  const settings = { allowNullableColumns: true, snapshotNumRowsPerPartition: 1000 }
  const made = await api(
    'POST',
    `/services/${service.id}/pipes`,
    postgres.pipe(['keyed', 'plain', 'parted'], settings),
  )
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const pipe = made.body.result as { id: string; serviceId: string }
  const flow = createFlow(postgres)
  ends.after(() => flow.stop())
  const counts = new Map<string, number>()
  for (let round = 1; round <= rounds; round++) {
    await setTimeout(randomInt(100, 4_000))
    const victim = victims[randomInt(victims.length)] ?? 'a worker'
    await strike(victim)
    counts.set(victim, (counts.get(victim) ?? 0) + 1)
    if (round === Math.ceil(rounds / 2)) await resync()
    if (tell(round, `the last kill was of ${victim}; ${flow.count()} transactions`) === 'stop') break
  }
  await flow.stop()
  for (const [table, { source, target }] of Object.entries(comparisons)) {
    const expected = (await postgres.sql(source)).map(({ row }) => canonical(String(row))).sort()
    const deadline = performance.now() + patienceMs
    for (;;) {
      const reply = await service.sql(target).catch(() => null)
      const found = reply?.status === 200 ? reply.text.split('\n').filter(Boolean).map(canonical).sort() : []
      if (JSON.stringify(found) === JSON.stringify(expected)) break
      if (performance.now() > deadline) {
        const { body } = await api('GET', `/services/${pipe.serviceId}/pipes/${pipe.id}`)
        console.log(
          JSON.stringify(body.result?.stats),
          body.result?.state,
          body.result?.reason,
          reply?.text.slice(0, 300),
        )
        const [lost, extra] = [
          expected.filter((row) => !found.includes(row)),
          found.filter((row) => !expected.includes(row)),
        ]
        assert.deepEqual(
          { lost: lost.slice(0, 5), extra: extra.slice(0, 5), counts: [expected.length, found.length] },
          {},
          table,
        )
      }
      await setTimeout(250)
    }
  }
  await untilPipe(api, pipe, ({ state }) => state === 'Running')
  await server.stop()
  assert.deepEqual(await processesOf(server.dataDir), [], 'processes are left over')
  assert.deepEqual(await workersOf(server.dataDir), [], 'workers are left over')
  const kills = [...counts].map(([victim, count]) => `${victim} ${count} times`).join(', ')
  console.log(`killed: ${kills}; ${flow.count()} transactions, and every value is the same`)

  async function resync(): Promise<void> {
    const reply = await api('PATCH', `/services/${pipe.serviceId}/pipes/${pipe.id}/state`, {
      command: 'resync',
    }).catch(() => null)
    if (reply !== null && reply.status !== 200)
      console.log('resync', reply.status, JSON.stringify(reply.body).slice(0, 200))
  }

  async function strike(victim: (typeof victims)[number]): Promise<void> {
    if (victim === 'the source') {
      await postgres.server.kill()
      await postgres.server.restart()
    }
    if (victim.startsWith('the server')) await server.kill()
    if (victim.includes('worker')) await killAll(await workersOf(server.dataDir), victim === 'a worker')
    if (victim.includes('replica')) await killAll(await replicasOf(server.dataDir), false)
    if (victim.startsWith('the server')) await server.restart()
  }
}

const schema = `
  CREATE TYPE mood AS ENUM ('sad', 'ok');
  CREATE TABLE keyed (id int, part int, n bigint, name text, doc text, amount numeric(14, 3), any_number numeric,
    at timestamptz, day date, clock time, tags text[], numbers int[], flag bool, ratio float8, small real, bytes bytea,
    uid uuid, feeling mood, data jsonb, span int4range, PRIMARY KEY (part, id));
  ALTER TABLE keyed ALTER doc SET STORAGE EXTERNAL;
  INSERT INTO keyed SELECT n, n % 7, n, 'name ' || n, repeat(md5(n::text), 100), n / 7.0, n / 3.0, '2026-01-01'::timestamptz + n * interval '1 s',
    '2026-01-01'::date + n % 1000, '03:04:05.678', ARRAY['a' || n, NULL, E'it''s\\t"q"'], ARRAY[n, -n], n % 2 = 0, n / 3.0, n / 3.0,
    decode(md5(n::text), 'hex'), md5(n::text)::uuid, 'ok', '{"a": [1]}', int4range(1, n + 2) FROM generate_series(1, 3000) n;
  CREATE TABLE plain (a int, b text); ALTER TABLE plain REPLICA IDENTITY FULL;
  INSERT INTO plain SELECT n % 50, 'x' FROM generate_series(1, 500) n;
  CREATE TABLE parted (id int, v text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
  CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (500);
  CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (500) TO (100000);
  INSERT INTO parted SELECT n, 'v' || n FROM generate_series(1, 900) n`

/** Changes of every kind, in transactions of every kind, for as long as it runs. */
function createFlow(postgres: PostgresRig) {
  let isStopped = false
  let count = 0
  const any = (): number => randomInt(1, 4_000)
  const row = (id: number): string =>
    `(${id}, ${id % 7}, ${any()}, E'n\\t${id}\\n', ${randomInt(3) === 0 ? 'NULL' : `repeat('${id}', 3000)`}, ${any()}.125, ${any()}.000001,
      now(), '2026-02-03', '23:59:59.000001', ARRAY['${id}'], NULL, true, ${any()} / 3.0, 0.1, '\\x00ff', NULL, 'sad', NULL, NULL)`
  const statements: (() => string)[] = [
    () => `INSERT INTO keyed VALUES ${row(any())} ON CONFLICT DO NOTHING`,
    () =>
      `UPDATE keyed SET n = n + 1, at = now() WHERE id BETWEEN ${any()} AND ${any()} AND id % 13 = ${randomInt(13)}`,
    () => `UPDATE keyed SET doc = repeat('${any()}', 2500) WHERE id = ${any()}`,
    () => `UPDATE keyed SET id = id + 100000, n = ${any()} WHERE id = ${any()}`,
    () =>
      `UPDATE keyed SET id = id - 100000 WHERE id > 100000 AND NOT EXISTS (SELECT 1 FROM keyed k WHERE k.id = keyed.id - 100000)`,
    () => `DELETE FROM keyed WHERE id = ${any()}`,
    () => `INSERT INTO plain SELECT n % 5, 'y' FROM generate_series(1, ${randomInt(1, 20)}) n`,
    () =>
      `UPDATE plain SET b = '${any()}' WHERE ctid IN (SELECT ctid FROM plain WHERE a = ${randomInt(50)} LIMIT 3)`,
    () => `DELETE FROM plain WHERE ctid IN (SELECT ctid FROM plain WHERE a = ${randomInt(50)} LIMIT 2)`,
    () =>
      `UPDATE parted SET id = id + 400 WHERE id = ${randomInt(1, 500)} AND NOT EXISTS (SELECT 1 FROM parted p WHERE p.id = parted.id + 400)`,
    () => `INSERT INTO parted VALUES (${any()}, 'new') ON CONFLICT (id) DO UPDATE SET v = parted.v || '+'`,
  ]
  const some = (): string => statements[randomInt(statements.length)]?.() ?? ''
  const shapes: (() => string)[] = [
    some,
    () => `BEGIN; ${some()}; ${some()}; ${some()}; COMMIT`,
    () => `BEGIN; ${some()}; SAVEPOINT a; ${some()}; ROLLBACK TO a; ${some()}; COMMIT`,
    () => `BEGIN; ${some()}; ${some()}; ROLLBACK`,
    () =>
      `BEGIN; UPDATE keyed SET n = n + 1; SAVEPOINT a; UPDATE keyed SET n = n + 1 WHERE id < 500; ROLLBACK TO a; ${some()}; COMMIT`,
  ]
  async function run(): Promise<void> {
    while (!isStopped) {
      const shape =
        randomInt(200) === 0
          ? () => `TRUNCATE ${['plain', 'parted'][randomInt(2)]}`
          : shapes[randomInt(shapes.length)]
      try {
        await postgres.sql(shape?.() ?? '')
        count += 1
      } catch {
        // A conflict, or the source is down; a broken transaction is over.
        await postgres.sql('ROLLBACK').catch(() => undefined)
      }
      await setTimeout(10)
    }
  }
  const ended = run()
  return {
    count: () => count,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

const canonical = (json: string): string => JSON.stringify(JSON.parse(json))

/** Each value as a text, on both sides. */
const values: [string, string][] = [
  ...['id', 'part', 'n', 'name', 'flag', 'uid', 'feeling', 'data', 'span', 'day'].map(
    (name): [string, string] => [name, name],
  ),
  ['md5(doc)', 'lower(hex(MD5(doc)))'],
  ['trim_scale(amount)', 'amount'],
  ['trim_scale(any_number)', 'any_number'],
  [`to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`, 'at'],
  [`to_char('2000-01-01'::date + clock, 'HH24:MI:SS.US')`, 'clock'],
  [
    `coalesce(array_to_string(tags, '|', '-'), '')`,
    `arrayStringConcat(arrayMap(x -> ifNull(x, '-'), tags), '|')`,
  ],
  [
    `coalesce(array_to_string(numbers, '|', '-'), '')`,
    `arrayStringConcat(arrayMap(x -> ifNull(toString(x), '-'), numbers), '|')`,
  ],
  [`encode(float8send(ratio), 'hex')`, 'lower(hex(reinterpretAsUInt64(assumeNotNull(ratio))))'],
  [`encode(float4send(small), 'hex')`, 'lower(hex(reinterpretAsUInt32(assumeNotNull(small))))'],
  [`encode(bytes, 'hex')`, 'lower(hex(bytes))'],
]

const comparison = (table: string, pairs: readonly [string, string][]) => ({
  source: `SELECT json_build_array(${pairs.map(([value]) => `(${value})::text`).join(', ')})::text AS row FROM ${table}`,
  target: `SELECT toJSONString([${pairs.map(([, value]) => `toString(${value})`).join(', ')}]) FROM ${table} FINAL FORMAT TSVRaw`,
})
const same = (...names: string[]): [string, string][] => names.map((name) => [name, name])

const comparisons = {
  keyed: comparison('keyed', values),
  plain: comparison('plain', same('a', 'b')),
  parted: comparison('parted', same('id', 'v')),
}
