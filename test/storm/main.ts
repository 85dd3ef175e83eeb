// npm run storm -- <kind> [--rounds N] [--minutes M]: long storms of kill -9. npm test has a few rounds of each.
import { parseArgs } from 'node:util'
import type { Ends } from '../support/server.ts'
import { kinesisStorm } from './kinesis.ts'
import { pipesStorm } from './pipes.ts'
import { databaseStorm, postgresStorm } from './postgres.ts'
import { postgresPipeStorm } from './postgres-pipe.ts'
import { sqliteStorm } from './sqlite.ts'
import { warehouseStorm } from './warehouse.ts'

/** Called after each round; `stop` ends the storm with this round. */
export type Tell = (round: number, what: string) => 'stop' | 'go on'

const kinds: Record<
  string,
  { what: string; run: (ends: Ends, rounds: number, tell: Tell) => Promise<void> }
> = {
  warehouse: { what: 'replicas and the server, under queries, inserts and backups', run: warehouseStorm },
  pipes: { what: 'workers, service, server and broker of two pipes, while records flow', run: pipesStorm },
  kinesis: {
    what: 'workers, service and server of two pipes, while shards are split and merged',
    run: kinesisStorm,
  },
  sqlite: { what: 'the server, under writes to its own store', run: sqliteStorm },
  postgres: { what: 'worker, service, server and source of a pipe from Postgres', run: postgresPipeStorm },
  store: { what: 'the server, with its store in PostgreSQL', run: postgresStorm },
  database: { what: 'that PostgreSQL itself', run: databaseStorm },
}
const lines = Object.entries(kinds).map(([name, { what }]) => `  ${name.padEnd(10)} kills ${what}`)
const usage = `npm run storm -- [kind] [--rounds N] [--minutes M]

${lines.join('\n')}

Without a kind: warehouse. A storm ends after so many rounds (100 where nothing is said), or with the round in which so many minutes are over.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const [name = 'warehouse', ...rest] = positionals
const kind = kinds[name]
const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY)
const rounds = Number(values.rounds ?? (values.minutes === undefined ? 100 : Number.POSITIVE_INFINITY))
if (values.help || !kind || rest.length > 0 || !(minutes > 0) || !(rounds > 0)) {
  console.log(usage)
  process.exit(values.help ? 0 : 2)
}

const ends: (() => unknown)[] = []
const untilMs = performance.now() + minutes * 60_000
console.log(`a storm begins that kills ${kind.what}`)
try {
  await kind.run({ after: (end) => void ends.unshift(end) }, rounds, (round, what) => {
    if (round % 10 === 0) console.log(`${round} kills; ${what}`)
    return performance.now() > untilMs ? 'stop' : 'go on'
  })
  console.log('Nothing was lost, doubled or torn.')
} finally {
  for (const end of ends) await end()
}
