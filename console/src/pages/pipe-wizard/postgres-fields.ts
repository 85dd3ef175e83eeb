import type { BodyOf } from '../../../../src/api/operations.ts'
import { type FieldGroup, type Get, optionsOf } from './fields.ts'
import { type Bound, numberSetting } from './number-setting.ts'

type Postgres = NonNullable<BodyOf<'pipes.create'>['source']['postgres']>
type Mode = NonNullable<NonNullable<Postgres['settings']>['replicationMode']>

const at = (name: string): string => `source.postgres.${name}`
const isRole = (get: Get) => get(at('authentication')) === 'IAM_ROLE'
const isEncrypted = (get: Get) => get(at('disableTls')) !== true
const mode = (get: Get) => get(at('settings.replicationMode'))

export const postgresGroups: FieldGroup[] = [
  {
    title: 'Database',
    fields: [
      {
        ...{ path: at('type'), label: 'Vendor', control: 'choice' },
        options: optionsOf<NonNullable<Postgres['type']>>({
          ...{ postgres: 'Postgres', supabase: 'Supabase', neon: 'Neon', alloydb: 'AlloyDB' },
          ...{ planetscale: 'PlanetScale', rdspostgres: 'Amazon RDS', aurorapostgres: 'Amazon Aurora' },
          ...{ cloudsqlpostgres: 'Cloud SQL', azurepostgres: 'Azure', crunchybridge: 'Crunchy Bridge' },
          tigerdata: 'Tiger Data',
        }),
      },
      { path: at('database'), label: 'Database', control: 'text', placeholder: 'shop' },
      { path: at('host'), label: 'Host', control: 'text', placeholder: 'db.example.com' },
      { path: at('port'), label: 'Port', control: 'number', placeholder: '5432' },
    ],
  },
  {
    title: 'Sign-in',
    hint: 'The user needs SELECT on the tables, and REPLICATION to follow changes.',
    fields: [
      {
        ...{ path: at('authentication'), label: 'Authentication', control: 'choice' },
        options: optionsOf<NonNullable<Postgres['authentication']>>({
          basic: 'User name and password',
          IAM_ROLE: 'IAM role',
        }),
      },
      { path: at('iamRole'), label: 'Role', control: 'text', placeholder: 'arn:aws:iam::…', when: isRole },
      { path: at('credentials.username'), label: 'User name', control: 'text' },
      { path: at('credentials.password'), label: 'Password', control: 'secret', when: (get) => !isRole(get) },
    ],
  },
  {
    title: 'Encryption',
    fields: [
      { path: at('disableTls'), label: 'Connect in the clear', control: 'switch', isWide: true },
      {
        ...{
          path: at('skipCertVerification'),
          label: 'Trust any certificate',
          control: 'switch',
          isWide: true,
        },
        when: isEncrypted,
      },
      {
        ...{ path: at('tlsHost'), label: 'Name in the certificate', control: 'text', isOptional: true },
        ...{ hint: 'If it is not the host.', when: isEncrypted },
      },
      {
        ...{ path: at('caCertificate'), label: 'Authority of the server', control: 'area', isOptional: true },
        ...{ hint: 'PEM, where no public authority signed its certificate.', when: isEncrypted },
      },
    ],
  },
]

const most = 2_147_483_647
export const postgresBounds = {
  syncIntervalSeconds: { min: 1, max: most, default: 60 },
  pullBatchSize: { min: 1, max: most, default: 100_000 },
  initialLoadParallelism: { min: 1, max: most, default: 4 },
  snapshotNumRowsPerPartition: { min: 1000, max: most, default: 100_000 },
  snapshotNumberOfParallelTables: { min: 1, max: most, default: 1 },
} satisfies Record<string, Bound>
type Count = keyof typeof postgresBounds

const count = (name: Count, label: string, unit?: string) =>
  numberSetting(at(`settings.${name}`), label, postgresBounds[name], unit)
const loads = (get: Get) => mode(get) !== 'cdc_only'
const follows = (get: Get) => mode(get) !== 'snapshot'

export const postgresRunGroups: FieldGroup[] = [
  {
    title: 'How it is read',
    fields: [
      {
        ...{ path: at('settings.replicationMode'), label: 'Mode', control: 'choice', isWide: true },
        options: optionsOf<Mode>({
          cdc: 'Load the tables, then follow their changes',
          snapshot: 'Load the tables once',
          cdc_only: 'Only follow changes',
        }),
      },
      { ...count('syncIntervalSeconds', 'Between two batches of changes', 's'), when: follows },
      { ...count('pullBatchSize', 'Most rows of a batch of changes'), when: follows },
      {
        ...{ path: at('settings.publicationName'), label: 'Publication', control: 'text', when: follows },
        ...{ isOptional: true, placeholder: 'the pipe makes one' },
      },
      {
        ...{ path: at('settings.replicationSlotName'), label: 'Replication slot', control: 'text' },
        ...{ isOptional: true, placeholder: 'the pipe makes one', when: (get) => mode(get) === 'cdc_only' },
      },
      { ...count('initialLoadParallelism', 'Readers per table in the first load'), when: loads },
      { ...count('snapshotNumberOfParallelTables', 'Tables loaded at a time'), when: loads },
      { ...count('snapshotNumRowsPerPartition', 'Rows per piece of the first load'), when: loads },
    ],
  },
  {
    title: 'Rows',
    fields: [
      {
        ...{ path: at('settings.allowNullableColumns'), label: 'Keep NULL', control: 'switch', isWide: true },
        hint: 'Off: it becomes the default of the type.',
      },
      {
        ...{ path: at('settings.deleteOnMerge'), label: 'Merges drop deleted rows', control: 'switch' },
        isWide: true,
      },
      {
        ...{
          path: at('settings.enableFailoverSlots'),
          label: 'The slot survives a failover',
          control: 'switch',
        },
        ...{ isWide: true, hint: 'Postgres 17 and newer.', when: follows },
      },
    ],
  },
]
