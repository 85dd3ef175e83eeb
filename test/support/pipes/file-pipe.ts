import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { patienceMs, type Warehouse } from '../warehouse.ts'

/** A request for a pipe from JSON files to the table `orders`, which it makes. */
export const filePipe = (url: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'order files',
  source: { objectStorage: { url, format: 'JSONEachRow', ...more } },
  destination: {
    database: 'default',
    table: 'orders',
    columns: [
      { name: 'id', type: 'UInt64' },
      { name: 'amount', type: 'Float64' },
    ],
    tableDefinition: { sortingKey: ['id'] },
  },
  fieldMappings: [
    { sourceField: 'id', destinationField: 'id' },
    { sourceField: 'amount', destinationField: 'amount' },
  ],
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type PipeAnswer = any

/** Reads the pipe until `holds`; fails when it does not in time, or when the pipe has failed. */
export async function untilPipe(
  api: Warehouse['api'],
  { serviceId, id }: { serviceId: string; id: string },
  holds: (pipe: PipeAnswer) => boolean,
): Promise<PipeAnswer> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const pipe = await api('GET', `/services/${serviceId}/pipes/${id}`)
      .then(({ body }) => body.result)
      .catch(() => null)
    if (pipe && holds(pipe)) return pipe
    if (pipe?.state === 'Failed') assert.fail(`the pipe failed: ${pipe.reason}`)
    if (performance.now() > deadline) assert.fail(`the pipe is ${JSON.stringify(pipe)}`)
    await setTimeout(50)
  }
}
