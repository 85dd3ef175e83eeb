import { test } from 'node:test'
import { postgresPipeStorm } from '../storm/postgres-pipe.ts'

// `npm run storm -- postgres --rounds 60` is the same for longer. A known fault keeps it from passing: after kills, rows are
// sometimes left with the value before their last update.
test(
  'tables equal their source, value by value, while everything is killed around them',
  { timeout: 600_000, skip: 'known fault: an update may be missing after kills' },
  (t) => postgresPipeStorm(t, 3),
)
