import type { ObjectStorageSource } from '../../domain/pipe/types.ts'

/** Where the objects of a source are: what its address says, for the lister and for the engine alike. */
export type Place = BucketPlace | ContainerPlace | FolderPlace

export interface BucketPlace {
  kind: 'bucket'
  /** Scheme, host and port: without the bucket, also where the bucket is the first label of the host. */
  endpoint: string
  bucket: string
  isInHost: boolean
  region: string
  /** Objects of Google's store; an S3-compatible stand-in of it may be anywhere. */
  isGoogle: boolean
  /** The names that the pipe reads, as a glob. */
  pattern: string
}

export interface ContainerPlace {
  kind: 'container'
  container: string
  pattern: string
}

export interface FolderPlace {
  kind: 'folder'
  /** An absolute path. */
  pattern: string
}

export function placeOf(source: ObjectStorageSource): Place {
  if (source.type === 'azureblobstorage') {
    return {
      kind: 'container',
      container: source.azureContainerName,
      pattern: source.path.replace(/^\//, ''),
    }
  }
  // The address may hold globs, also `?`, so a URL parser would misread it.
  const [, scheme = '', authority = '', rest = ''] = /^([a-z0-9]+):\/\/([^/]*)(.*)$/is.exec(source.url) ?? []
  const path = unescaped(rest)
  if (scheme.toLowerCase() === 'file') return { kind: 'folder', pattern: path }
  return { ...bucketOf(scheme.toLowerCase(), authority, path), isGoogle: source.type === 'gcs' }
}

function bucketOf(scheme: string, authority: string, path: string): BucketAddress {
  if (scheme === 's3') return inHost('https', authority, 's3.amazonaws.com', path)
  if (scheme === 'gs') return bucketPlace('https://storage.googleapis.com', authority, path.slice(1))
  return httpPlace(scheme, authority, path)
}

type BucketAddress = Omit<BucketPlace, 'isGoogle'>

/** Hosts whose first labels are the bucket, as the engine reads them too. */
const withBucket = /^(.+?)\.((?:s3|cos|obs|oss|eos)[.-].*)$/i
/** Hosts that may begin with the bucket, of stores that take the bucket in the path as well. */
const maybeWithBucket =
  /^(.+?)\.(storage\.googleapis\.com|[a-z0-9-]+\.digitaloceanspaces\.com|[a-z0-9]+\.(?:[a-z]+\.)?r2\.cloudflarestorage\.com)$/i

function httpPlace(scheme: string, authority: string, path: string): BucketAddress {
  const [, bucket, host] = withBucket.exec(authority) ?? []
  if (bucket !== undefined && host !== undefined) return inHost(scheme, bucket, host, path)
  const [, named, store] = maybeWithBucket.exec(authority) ?? []
  if (named !== undefined) return bucketPlace(`${scheme}://${store}`, named, path.slice(1))
  const [, first = '', rest = ''] = /^\/*([^/]*)\/?(.*)$/s.exec(path) ?? []
  return bucketPlace(`${scheme}://${authority}`, first, rest)
}

const inHost = (scheme: string, bucket: string, host: string, path: string): BucketAddress => ({
  ...bucketPlace(`${scheme}://${host}`, bucket, path.slice(1)),
  isInHost: true,
})

function bucketPlace(endpoint: string, bucket: string, pattern: string): BucketAddress {
  return { kind: 'bucket', endpoint, bucket, isInHost: false, pattern, region: regionOf(endpoint) }
}

function regionOf(endpoint: string): string {
  const amazon = /[/.]s3[.-](?:dualstack\.|fips\.)?([a-z]{2}(?:-[a-z]+)+-\d)\./i.exec(endpoint)?.[1]
  const ocean = /\/\/([a-z0-9-]+)\.digitaloceanspaces\.com/i.exec(endpoint)?.[1]
  const ovh = /\/\/s3\.([a-z0-9-]+)\.[a-z.]*ovh\./i.exec(endpoint)?.[1]
  return amazon ?? ocean ?? ovh ?? 'us-east-1'
}

/** Percent-decodes; a text that is no valid encoding stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
