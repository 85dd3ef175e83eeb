import type { BodyOf } from '../../../../src/api/operations.ts'
import { type FieldGroup, type Get, optionsOf } from './fields.ts'

type Storage = NonNullable<BodyOf<'pipes.create'>['source']['objectStorage']>
type Type = NonNullable<Storage['type']>
type Method = NonNullable<Storage['authentication']>

const at = (name: string): string => `source.objectStorage.${name}`
const isType =
  (...types: Type[]) =>
  (get: Get) =>
    types.includes(get(at('type')) as Type)
const isMethod =
  (...methods: Method[]) =>
  (get: Get) =>
    methods.includes(get(at('authentication')) as Method)
const isAzure = isType('azureblobstorage')
const isContinuous = (get: Get) => get(at('isContinuous')) === true

const methodNames: Record<Method, string> = {
  ...{ '': 'None: it is public', IAM_USER: 'Access key', IAM_ROLE: 'IAM role' },
  ...{ CONNECTION_STRING: 'Connection string', SERVICE_ACCOUNT: 'Service account' },
}
const methodsOf: Record<Type, readonly Method[]> = {
  s3: ['IAM_USER', 'IAM_ROLE', ''],
  gcs: ['SERVICE_ACCOUNT', 'IAM_USER', ''],
  dospaces: ['IAM_USER', ''],
  azureblobstorage: ['CONNECTION_STRING'],
  cloudflarer2: ['IAM_USER', ''],
  ovhobjectstorage: ['IAM_USER', ''],
  file: [''],
}
const examples: Partial<Record<Type, string>> = {
  s3: 'https://acme.s3.eu-central-1.amazonaws.com/orders/**.json.gz',
  gcs: 'gs://acme/orders/**.parquet',
  file: 'file:///srv/exports/*.json',
}

export const objectStorageGroups: FieldGroup[] = [
  {
    title: 'Place',
    fields: [
      {
        ...{ path: at('type'), label: 'Vendor', control: 'choice' },
        options: optionsOf<Type>({
          ...{
            s3: 'Amazon S3, or its protocol',
            gcs: 'Google Cloud Storage',
            azureblobstorage: 'Azure Blob Storage',
          },
          ...{ cloudflarer2: 'Cloudflare R2', dospaces: 'DigitalOcean Spaces', ovhobjectstorage: 'OVH' },
          file: 'Files of the server',
        }),
      },
      {
        ...{ path: at('url'), label: 'Address', control: 'text', isWide: true, when: (get) => !isAzure(get) },
        placeholder: Object.values(examples)[0] ?? '',
        hint: '? and * stand for names, ** also for folders. No credentials in it. Files: file:// and a folder that the server allows.',
      },
      { path: at('azureContainerName'), label: 'Container', control: 'text', when: isAzure },
      {
        ...{ path: at('path'), label: 'Names', control: 'text', isWide: true, when: isAzure },
        ...{ placeholder: 'orders/**.json', hint: '? and * stand for names, ** also for folders.' },
      },
    ],
  },
  {
    title: 'Sign-in',
    hint: 'Secrets go in and never come out.',
    fields: [
      {
        ...{ path: at('authentication'), label: 'Authentication', control: 'choice' },
        options: (get) =>
          methodsOf[get(at('type')) as Type].map((value) => ({ value, name: methodNames[value] })),
      },
      {
        ...{ path: at('iamRole'), label: 'Role', control: 'text', placeholder: 'arn:aws:iam::…' },
        when: isMethod('IAM_ROLE'),
      },
      {
        ...{ path: at('accessKey.accessKeyId'), label: 'Access key id', control: 'text' },
        ...{ hint: 'For a role: the key that assumes it, if not the server’s own.' },
        when: isMethod('IAM_USER', 'IAM_ROLE'),
      },
      {
        ...{ path: at('accessKey.secretKey'), label: 'Secret key', control: 'secret' },
        when: isMethod('IAM_USER', 'IAM_ROLE'),
      },
      {
        ...{ path: at('connectionString'), label: 'Connection string', control: 'secret', isWide: true },
        when: isMethod('CONNECTION_STRING'),
      },
      {
        ...{ path: at('serviceAccountKey'), label: 'Key of the service account', control: 'secret-area' },
        ...{ hint: 'The JSON of the key.', isWide: true, when: isMethod('SERVICE_ACCOUNT') },
      },
    ],
  },
  {
    title: 'Files',
    fields: [
      {
        ...{ path: at('format'), label: 'Format', control: 'choice' },
        options: optionsOf<NonNullable<Storage['format']> | ''>({
          ...{
            '': 'By the name',
            JSONEachRow: 'JSON lines',
            JSONAsObject: 'JSON, whole objects',
            CSV: 'CSV',
          },
          ...{ CSVWithNames: 'CSV with names', TabSeparated: 'TSV', TabSeparatedWithNames: 'TSV with names' },
          ...{ Parquet: 'Parquet', Avro: 'Avro' },
        }),
      },
      {
        ...{ path: at('compression'), label: 'Compression', control: 'choice' },
        options: optionsOf<Exclude<NonNullable<Storage['compression']>, 'auto' | 'gz' | 'br'>>({
          ...{
            '': 'By the name',
            none: 'None',
            gzip: 'gzip',
            zstd: 'zstd',
            brotli: 'Brotli',
            xz: 'xz',
            LZMA: 'LZMA',
          },
        }),
      },
      {
        ...{ path: at('delimiter'), label: 'Between fields', control: 'text', placeholder: ',' },
        when: (get) => String(get(at('format'))).startsWith('CSV'),
      },
      {
        ...{
          path: at('isContinuous'),
          label: 'Go on with files that come later',
          control: 'switch',
          isWide: true,
        },
        hint: 'Off: loads what is there once, and is completed.',
      },
      {
        ...{ path: at('queueUrl'), label: 'Queue of notifications', control: 'text', isOptional: true },
        ...{ hint: 'Instead of listing the bucket.', isWide: true },
        when: (get) => isContinuous(get) && isType('s3', 'gcs')(get) && !isMethod('')(get),
      },
      {
        ...{ path: at('skipInitialLoad'), label: 'Leave out what is there already', control: 'switch' },
        when: (get) => isContinuous(get) && get(at('queueUrl')) !== '',
      },
      {
        ...{ path: at('startAfter'), label: 'Begin after the name', control: 'text', isOptional: true },
        when: (get) => get(at('skipInitialLoad')) !== true,
      },
    ],
  },
]
