import { closed, dateTime, Type, uuid } from './schema.ts'

const count = (description: string) => Type.Number({ minimum: 0, description })

export const ServiceRestore = closed(
  {
    backupId: uuid('The backup whose data it begins with.'),
    bytesDone: count('Bytes that are restored.'),
    bytesTotal: count('Bytes of the backup; 0 until they are known.'),
    filesDone: count('Files that are restored.'),
    filesTotal: count('Files of the backup; 0 until they are known.'),
    startedAt: dateTime('When the present attempt began: one that was cut off begins anew.'),
    estimateSeconds: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'What is left at the speed so far; null until there is one.',
    }),
  },
  { description: 'How far its restore is; absent for a service that is not being restored here.' },
)
