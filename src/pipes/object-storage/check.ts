import type { SourceCheck, SourceObject, SourcePipe } from '../source.ts'
import { SourceError } from '../source.ts'
import { maxObjectBytes } from './batching.ts'
import { StoreError, type StorePart } from './explain.ts'
import { compileGlob } from './glob.ts'
import { type ObjectStorageLimits, objectStorageOf, openStore } from './open-store.ts'
import type { Place } from './place.ts'
import { openQueue } from './sqs-queue.ts'
import type { ObjectStore } from './store.ts'

/** Lists up to the first matching object and tries to read it. */
export async function checkObjectStorage(
  pipe: SourcePipe,
  { sample, signal }: { sample: boolean; signal: AbortSignal },
  limits: ObjectStorageLimits,
): Promise<SourceCheck> {
  const source = objectStorageOf(pipe.source)
  const unsupported = unsupportedParts(source)
  if (unsupported.length > 0) return { ok: false, problems: unsupported }
  let where: (part: StorePart) => string = (part) => (part === 'credential' ? 'connectionString' : 'url')
  try {
    const { store, place, keys } = await openStore(pipe, limits)
    where = (part) => fieldOf(part, place, source.authentication)
    let found: SourceObject | 'none' | 'unknown'
    try {
      found = await firstObject(store, place, source.startAfter, signal)
      if (typeof found === 'object') await store.probe(found.key, signal)
    } finally {
      store.close()
    }
    if (found === 'none' && (sample || !source.isContinuous)) {
      const field = place.kind === 'container' ? 'path' : 'url'
      return problem(field, `No object matches ${place.pattern}.`)
    }
    if (source.queueUrl !== '') {
      where = (part) =>
        part === 'credential' || part === 'role' ? fieldOf(part, place, source.authentication) : 'queueUrl'
      const queue = await openQueue(source.queueUrl, keys, limits.egress)
      await queue.check(signal).finally(() => queue.close())
    }
    return {
      ok: true,
      sample: sample && typeof found === 'object' ? { kind: 'objects', objects: [found] } : null,
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return problem(where(error instanceof StoreError ? error.part : 'host'), sentence(error.message))
  }
}

const problem = (field: string, message: string): SourceCheck & { ok: false } => ({
  ok: false,
  problems: [{ path: ['objectStorage', field], message }],
})

/** The field of the request that a person would change. */
function fieldOf(part: StorePart, place: Place, authentication: string): string {
  if (place.kind === 'container') return part === 'bucket' ? 'azureContainerName' : 'connectionString'
  if (part === 'role') return 'iamRole'
  if (part === 'credential' && place.kind === 'bucket')
    return authentication === 'IAM_ROLE' ? 'iamRole' : 'accessKey'
  return 'url'
}

function unsupportedParts({ authentication, type, queueUrl }: ReturnType<typeof objectStorageOf>) {
  const problems: { path: string[]; message: string }[] = []
  if (authentication === 'SERVICE_ACCOUNT') {
    const message = 'Google service accounts are not supported: use an accessKey with HMAC keys.'
    problems.push({ path: ['objectStorage', 'serviceAccountKey'], message })
  }
  if (type === 'gcs' && queueUrl !== '') {
    const message = 'Pub/Sub is not supported: leave the queue out, and the bucket is polled.'
    problems.push({ path: ['objectStorage', 'queueUrl'], message })
  }
  return problems
}

/** `unknown` = there is none among the first names, and the list goes on. */
async function firstObject(
  store: ObjectStore,
  { pattern }: Place,
  startAfter: string,
  signal: AbortSignal,
): Promise<SourceObject | 'none' | 'unknown'> {
  const glob = compileGlob(pattern)
  let after: string | null = startAfter
  for (let pages = 0; after !== null && pages < maxPages; pages++) {
    const page = await store.list({ prefix: glob.prefix, after, signal })
    const found = page.objects.find(
      ({ key, bytes }) => bytes > 0 && bytes <= maxObjectBytes && glob.matches(key),
    )
    if (found !== undefined) return { key: found.key, etag: found.etag, bytes: found.bytes }
    after = page.next
  }
  return after === null ? 'none' : 'unknown'
}

/** A check looks at this many pages, which are a thousand names or more each. */
const maxPages = 20

/** A text that begins with the name of a host stays as it is. */
const sentence = (text: string): string =>
  `${text.replace(/^[a-z]+(?= )/, (word) => word[0]?.toUpperCase() + word.slice(1))}.`
