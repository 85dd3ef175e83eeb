import { Option } from 'commander'
import { ClientError } from '../../client/client-error.ts'
import type { CommandDefinition, GroupDefinition } from '../command.ts'
import { readSecret } from '../input.ts'
import { type Operands, operandsOf, paramsOf } from '../operands.ts'
import { commandOf } from '../operation-command.ts'
import { defined, someChange } from '../options.ts'
import type { Session } from '../session.ts'
import { type Bucket, bucketBlock } from '../show/backup.ts'

const get = commandOf('backupBucket.get', {
  summary: 'Show the bucket that backups go to',
  examples: ['granary backups bucket get analytics'],
  show: bucketBlock,
})

interface SetFlags {
  path?: string
  accessKeyId?: string
  stdin?: true
  roleArn?: string
  roleSessionName?: string
}

const set: CommandDefinition = {
  name: 'set',
  summary: 'Send backups to a bucket of your own, or change how it is reached',
  details:
    'The bucket is tried before it is kept. What is not given stays as it was; without a key it is reached as whoever runs the server. The secret is read from standard input, so that no list of processes shows it.',
  operands: operandsOf('backupBucket.update'),
  options: [
    new Option('--path <url>', 'bucket and folder: https://host/bucket/folder'),
    new Option('--access-key-id <id>', 'id of an access key; empty for none'),
    new Option('--stdin', 'read the secret of the access key from standard input'),
    new Option('--role-arn <arn>', 'role to assume; empty for none'),
    new Option('--role-session-name <name>', 'what the role is used as'),
  ],
  examples: [
    'pass show minio | granary backups bucket set analytics --path https://minio:9000/backups/analytics --access-key-id granary --stdin',
    'pass show minio | granary backups bucket set analytics --access-key-id granary-2 --stdin',
  ],
  async run(session, operands: Operands, flags: SetFlags) {
    const { output, io } = session
    someChange(flags, 'say what to set: see --help')
    const secretAccessKey = flags.stdin ? await readSecret(io, 'secret') : undefined
    output.hide(secretAccessKey)
    const fields = defined({
      accessKeyId: flags.accessKeyId,
      secretAccessKey,
      iamRoleArn: flags.roleArn,
      iamRoleSessionName: flags.roleSessionName,
    })
    const params = await paramsOf(session, 'backupBucket.update', operands)
    const bucket = await save(session, params, flags.path, fields)
    output.result(bucket, (form) => bucketBlock(form, bucket))
  },
}

async function save(
  { client, signal }: Session,
  params: { serviceId: string },
  bucketPath: string | undefined,
  fields: Record<string, string>,
): Promise<Bucket> {
  if (bucketPath === undefined) return client.call('backupBucket.update', { params, body: fields, signal })
  const body = { bucketPath, ...fields }
  try {
    return await client.call('backupBucket.create', { params, body, signal })
  } catch (error) {
    if (!isRefusal(error, 'CONFLICT')) throw error
    // The conflict most likely means that a bucket exists; if the update finds none, the first error is the one
    // to show.
    return client.call('backupBucket.update', { params, body, signal }).catch((second: unknown) => {
      throw isRefusal(second, 'NOT_FOUND') ? error : second
    })
  }
}

const isRefusal = (error: unknown, code: string) => error instanceof ClientError && error.code === code

const remove = commandOf('backupBucket.delete', {
  name: 'remove',
  summary: 'Send backups to the local folder of the server again',
  details: 'Backups that are in the bucket stay there, and can be restored.',
  examples: ['granary backups bucket remove analytics --yes'],
  question: ({ service }) => `Send further backups of ${service} to the local folder of the server?`,
  show: (_, { bucketPath }) => `backups no longer go to ${bucketPath}, but to the local folder of the server`,
})

export const backupBucket: GroupDefinition = {
  name: 'bucket',
  summary: 'A bucket of your own that backups go to',
  commands: [get, set, remove],
}
