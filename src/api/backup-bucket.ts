import { closed, dateTime, oneOf, optional, Type, text, uuid } from './schema.ts'

const providers = ['S3'] as const

/** No spaces and no line ends: the value goes into HTTP headers. */
const word = (description: string, maxLength: number) =>
  Type.String({ maxLength, pattern: '^[!-~]*$', description })

const provider = oneOf(providers, 'What the bucket speaks: the protocol of Amazon S3, whoever offers it.')
const path = (more: string) =>
  Type.String({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[!-~]+$',
    description: `The bucket and a folder in it, for example \`https://host:9000/bucket/folder\`.${more}`,
  })
const credentials = (absent: string) => ({
  accessKeyId: optional(
    word(`Id of an access key. Empty: as whoever runs the engine, by its environment or role.${absent}`, 256),
  ),
  secretAccessKey: optional(word(`Its secret. Kept sealed, and in no answer.${absent}`, 1024)),
  iamRoleArn: optional(word(`A role to assume with the key, or as whoever runs the engine.${absent}`, 2048)),
  iamRoleSessionName: optional(
    Type.String({
      pattern: '^([A-Za-z0-9_+=,.@-]{2,64})?$',
      description: `What the role is used as.${absent}`,
    }),
  ),
})

export const BackupBucketBody = closed({
  bucketProvider: optional(provider),
  bucketPath: path(''),
  ...credentials(''),
})

export const BackupBucketPatchBody = closed({
  bucketProvider: optional(provider),
  bucketPath: optional(path(' Absent: it stays.')),
  ...credentials(' Absent: it stays.'),
})

export const BackupBucket = closed({
  id: uuid('The bucket. Another path is another bucket.'),
  bucketProvider: oneOf(providers, 'What the bucket speaks.'),
  bucketPath: text('The bucket and the folder that backups go to.'),
  accessKeyId: text('Id of the access key; empty for none.'),
  iamRoleArn: text('The role that is assumed; empty for none.'),
  iamRoleSessionName: text('What the role is used as; empty for the default.'),
  createdAt: dateTime('When backups first went there.'),
  updatedAt: dateTime('When its path or its credentials last changed.'),
})
