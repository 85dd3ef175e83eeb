import { test } from 'node:test'
import { databaseStorm, postgresStorm } from '../storm/postgres.ts'

const rounds = 10
const databaseRounds = 3

test(`postgres: over ${rounds} kills in the middle of writing, nothing acknowledged is lost`, (t) =>
  postgresStorm(t, rounds))

test(`postgres: over ${databaseRounds} kills of the database, the server says 503 and goes on by itself`, (t) =>
  databaseStorm(t, databaseRounds))
