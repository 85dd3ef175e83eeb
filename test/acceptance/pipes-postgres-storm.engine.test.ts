import { test } from 'node:test'
import { postgresPipeStorm } from '../storm/postgres-pipe.ts'

// `npm run storm -- postgres --rounds 60` is the same for longer.
test('tables equal their source, value by value, while everything is killed around them', (t) =>
  postgresPipeStorm(t, 3))
