import { commandOf } from '../operation-command.ts'

export const query = commandOf('services.query', {
  name: 'query',
  summary: 'Run a statement on a service',
  moreOperands: [['<sql>', 'the statement']],
  examples: ["granary query analytics 'SELECT count() FROM events'"],
  body: (_flags, _session, { sql = '' }) => ({ query: sql }),
  show: (_, line) =>
    line.kind === 'rows' ? line.rows.map((row) => row.map(String).join('\t')).join('\n') : '',
})
