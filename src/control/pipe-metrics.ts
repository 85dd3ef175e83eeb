import type { PipeRunStatus } from '../domain/pipe/run-status.ts'
import type { PipeRecord } from '../store/store.ts'
import type { Metric } from './metrics.ts'

/** A pipe, and what it does; null = it does not run here. */
export interface MeasuredPipe {
  pipe: PipeRecord
  status: PipeRunStatus | null
}

type Read = (status: PipeRunStatus) => number | null

/** By name: what it counts, and where the number is. A pipe that does not tell a number has no sample. */
const numbers: [name: string, help: string, read: Read][] = [
  ['rows_total', 'Rows that the service has acknowledged.', ({ rows }) => rows],
  ['fetched_bytes_total', 'Bytes read from the source.', ({ bytes }) => bytes],
  ['rejected_total', 'Records that went to the errors table.', ({ rejected }) => rejected],
  ['rows_per_second', 'Mean of the last minute.', ({ rowsPerSecond }) => rowsPerSecond],
  ['bytes_per_second', 'Mean of the last minute.', ({ bytesPerSecond }) => bytesPerSecond],
  ['lag_records', 'Records at the source that are not read yet.', ({ lag }) => lag.records],
  ['lag_milliseconds', 'Age of the oldest such record.', ({ lag }) => lag.ms],
]

const labelsOf = ({ id, spec }: PipeRecord) => ({
  ...{ pipe: id, pipe_name: spec.name, source: Object.keys(spec.source)[0] ?? '' },
})

export const pipeMetrics: readonly Metric[] = [
  {
    name: 'granary_pipe_info',
    help: 'The state of a pipe; the value is always 1.',
    important: true,
    samples: (_service, _resources, _backup, pipes) =>
      pipes.map(({ pipe }) => ({ labels: { ...labelsOf(pipe), state: pipe.status.state }, value: 1 })),
  },
  ...numbers.map(
    ([name, help, read]): Metric => ({
      name: `granary_pipe_${name}`,
      help,
      type: name.endsWith('_total') ? 'counter' : 'gauge',
      important: name === 'rows_total' || name.startsWith('lag'),
      samples: (_service, _resources, _backup, pipes) =>
        pipes.flatMap(({ pipe, status }) => {
          const value = status && read(status)
          return value === null ? [] : [{ labels: labelsOf(pipe), value }]
        }),
    }),
  ),
]
