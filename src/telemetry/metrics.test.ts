import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from './metrics.ts'

test('a gauge shows what it reads at each scrape, also labels that were not there at first, and no more', async () => {
  const metrics = createMetrics({ version: 'test', operations: [] })
  let pipes: string[] = []
  metrics.gauge({
    name: 'granary_lag',
    help: 'By pipe.',
    labels: ['pipe'],
    read: () => pipes.map((pipe) => ({ labels: { pipe }, value: 1 })),
  })
  const shown = async () =>
    (await metrics.expose()).text.split('\n').filter((line) => /^granary_lag/.test(line))
  assert.deepEqual(await shown(), [])
  pipes = ['a', 'b']
  assert.deepEqual(await shown(), ['granary_lag{pipe="a"} 1', 'granary_lag{pipe="b"} 1'])
  pipes = ['b']
  assert.deepEqual(await shown(), ['granary_lag{pipe="b"} 1'])
})
