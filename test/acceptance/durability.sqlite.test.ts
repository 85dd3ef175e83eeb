import { test } from 'node:test'
import { sqliteStorm } from '../storm/sqlite.ts'

const rounds = 12

test(`sqlite: over ${rounds} kills in the middle of writing, nothing acknowledged is lost`, (t) =>
  sqliteStorm(t, rounds))
