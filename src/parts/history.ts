import { createHistoryRecorder, type HistoryParts, type HistoryRecorder } from '../reconcile/history.ts'
import type { GaugeSpec } from '../telemetry/metrics.ts'
import type { Part } from './part.ts'

export interface HistoryPart extends Part {
  recorder: HistoryRecorder
}

/** Keeps the past of services and pipes, and shows the operator what pipes do now. */
export function createHistoryPart(parts: HistoryParts): HistoryPart {
  const recorder = createHistoryRecorder(parts)
  const stopping = new AbortController()
  let working: Promise<void> = Promise.resolve()
  return {
    name: 'history',
    recorder,
    gauges: pipeGauges(recorder),
    async start() {
      working = recorder.run(stopping.signal)
    },
    stop: {
      async loops() {
        stopping.abort()
        await working
      },
    },
  }
}

type Running = ReturnType<HistoryRecorder['runningPipes']>[number]

/** By name: what it is, and where the number is; a source that does not tell a number has no sample. */
const numbers: [name: string, help: string, read: (status: Running['status']) => number | null][] = [
  ['rows', 'Rows that the service has acknowledged, since the pipe was created.', ({ rows }) => rows],
  ['fetched_bytes', 'Bytes read from the source, since the pipe was created.', ({ bytes }) => bytes],
  ['rejected', 'Records in the errors table, since the pipe was created.', ({ rejected }) => rejected],
  ['rows_per_second', 'Rows per second over the last minute.', ({ rowsPerSecond }) => rowsPerSecond],
  ['lag_records', 'Records at the source that are not read yet.', ({ lag }) => lag.records],
  ['lag_milliseconds', 'Age of the oldest record that is not read yet.', ({ lag }) => lag.ms],
]

const pipeGauges = ({ runningPipes }: HistoryRecorder): GaugeSpec[] =>
  numbers.map(([name, help, read]) => ({
    name: `granary_running_pipe_${name}`,
    help,
    labels: ['pipe', 'organization'],
    read: () =>
      runningPipes().flatMap(({ id, organizationId, status }) => {
        const value = read(status)
        return value === null ? [] : [{ labels: { pipe: id, organization: organizationId }, value }]
      }),
  }))
