import type { Form } from '../output.ts'
import { bytes, duration } from '../units.ts'
import type { Service } from './service.ts'

export function resourcesTable(form: Form, { name, state, resources }: Service): string {
  const { replicas, parts, storedBytes } = resources
  if (replicas.length === 0) return `service ${name} is ${state}: nothing runs`
  const headings = [
    'REPLICA',
    'ROLE',
    'UP',
    'MEMORY',
    'CPU',
    'RUNNING',
    'QUERIES',
    'FAILED',
    'READ',
    'WRITTEN',
    'RESTARTS',
  ]
  const rows = replicas.map((replica) => [
    replica.id,
    replica.role,
    replica.serving ? duration(replica.uptimeSeconds * 1_000) : 'no',
    `${bytes(replica.memoryBytes)} of ${bytes(replica.memoryLimitBytes)}`,
    duration(replica.cpuSeconds * 1_000),
    `${replica.runningQueries}`,
    `${replica.queries}`,
    `${replica.failedQueries}`,
    `${replica.rowsRead} rows, ${bytes(replica.bytesRead)}`,
    `${replica.rowsWritten} rows, ${bytes(replica.bytesWritten)}`,
    `${replica.restarts}`,
  ])
  const head = `service ${name} is ${state}: ${bytes(storedBytes)} in ${parts} ${parts === 1 ? 'part' : 'parts'}`
  return `${head}\n${form.table(headings, rows)}`
}
