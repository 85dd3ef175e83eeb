import { test } from 'node:test'
import { pipesStorm } from '../storm/pipes.ts'

// `npm run storm -- pipes --rounds 100` is the same for longer.
test('pipes deliver each record once while everything is killed around them', (t) => pipesStorm(t, 4))
