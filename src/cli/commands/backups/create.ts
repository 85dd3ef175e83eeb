import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { timeoutOption, type WaitOptions, waitOption } from '../../options.ts'
import type { Session } from '../../session.ts'
import { type Backup, backupBlock } from '../../show/backup.ts'
import { type Watched, watch } from '../../wait.ts'
import { serviceOperand } from '../services/operand.ts'

export const backupsCreate: CommandDefinition = {
  name: 'create',
  summary: 'Back up a service now',
  operands: [serviceOperand],
  options: [waitOption, timeoutOption],
  examples: ['granary backups create analytics --wait --timeout 1h'],
  async run(session, { service }: { service: string }, { wait, timeout }: WaitOptions) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    const created = await client.call('backups.create', { params, signal })
    const { last, error } = wait ? await watchBackup(session, created, timeout) : { last: created }
    const result = last ?? created
    output.result(result, (form) => backupBlock(form, result))
    if (error) throw error
  },
}

function watchBackup(session: Session, backup: Backup, timeoutMs: number): Promise<Watched<Backup>> {
  const { client, signal } = session
  const params = { serviceId: backup.serviceId, backupId: backup.id }
  return watch(session, {
    what: `backup ${backup.id}`,
    first: backup,
    timeoutMs,
    describe: ({ status, reason }) => (reason ? `${status}, ${reason}` : status),
    read: () => client.call('backups.get', { params, signal }),
    judge: (now) => {
      if (now?.status === 'error') return { failed: `has failed${now.reason ? `: ${now.reason}` : ''}` }
      return now?.status === 'done' ? 'done' : 'pending'
    },
  })
}
