import { closed, flag, list, oneOf, Type, text } from './schema.ts'

const count = (description: string) => Type.Number({ minimum: 0, description })

const replica = closed({
  id: text('The replica; it keeps its id when it is restarted.'),
  role: oneOf(['writer', 'reader', 'peer'] as const, 'Whether it takes writes.'),
  serving: flag('Whether it answers queries.'),
  uptimeSeconds: count('Since it was last started.'),
  restarts: count('How often it had to be started again.'),
  memoryLimitBytes: count('The most that it may use.'),
  memoryBytes: count('What it uses.'),
  cpuSeconds: count('Processor time since its start.'),
  runningQueries: count('Queries that run now.'),
  queries: count('Queries since its start.'),
  failedQueries: count('Those of them that failed.'),
  rowsRead: count('Rows read by queries.'),
  bytesRead: count('Bytes read by queries.'),
  rowsWritten: count('Rows written by inserts.'),
  bytesWritten: count('Bytes written by inserts.'),
})

export const ServiceResources = closed(
  {
    replicas: list(replica, 'One entry for each replica that runs.'),
    parts: count('Active parts of the tables of the warehouse.'),
    storedBytes: count('What those parts hold on disk.'),
  },
  { description: 'What is in use now. Empty in lists, and while nothing runs.' },
)
