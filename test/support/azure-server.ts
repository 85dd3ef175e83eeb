import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** The part of Azure's blob protocol that lists a container and reads blobs. It wants a key or a signature, any. */
export interface AzureServer {
  connectionString: string
  /** The same account with a shared access signature in place of the key. */
  sasConnectionString: string
  blobs: Map<string, Uint8Array>
  /** The marker of each listing. */
  asked: string[]
  pageSize: number
  failure: { status: number; code: string } | null
}

const container = 'orders'

export async function startAzureServer(t: TestContext): Promise<AzureServer> {
  const server = createServer((request, response) => {
    serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme`
  const azure: AzureServer = {
    connectionString: `DefaultEndpointsProtocol=http;AccountName=acme;AccountKey=c2VjcmV0;BlobEndpoint=${endpoint};`,
    sasConnectionString: `BlobEndpoint=${endpoint};SharedAccessSignature=sv=2024-01-01&sig=c2VjcmV0`,
    ...{ blobs: new Map(), asked: [], pageSize: 5_000, failure: null },
  }

  function serve({ method, url = '', headers }: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(url, endpoint)
    if (azure.failure !== null) return refuse(response, azure.failure.status, azure.failure.code)
    if (headers.authorization === undefined && !searchParams.has('sig'))
      return refuse(response, 403, 'AuthenticationFailed')
    const [, , named, ...rest] = pathname.split('/').map(decodeURIComponent)
    if (named !== container) return refuse(response, 404, 'ContainerNotFound')
    if (searchParams.get('comp') === 'list') return list(searchParams, response)
    if (searchParams.get('restype') === 'container') {
      response.writeHead(200, { etag: '"0x1"', 'last-modified': new Date(0).toUTCString() }).end()
      return
    }
    const bytes = azure.blobs.get(rest.join('/'))
    if (bytes === undefined) return refuse(response, 404, 'BlobNotFound')
    const [, from = '0', to = ''] =
      /bytes=(\d+)-(\d*)/.exec(String(headers['x-ms-range'] ?? headers.range)) ?? []
    const end = Math.min(bytes.length - 1, to === '' ? bytes.length - 1 : Number(to))
    const isPart = headers['x-ms-range'] !== undefined || headers.range !== undefined
    const part = isPart ? bytes.subarray(Number(from), end + 1) : bytes
    response.writeHead(isPart ? 206 : 200, {
      ...{ 'content-length': part.length, 'content-type': 'application/octet-stream', etag: etagOf(bytes) },
      ...{
        'last-modified': new Date(0).toUTCString(),
        'x-ms-blob-type': 'BlockBlob',
        'accept-ranges': 'bytes',
      },
      'x-ms-creation-time': new Date(0).toUTCString(),
      ...{
        'x-ms-lease-status': 'unlocked',
        'x-ms-lease-state': 'available',
        'x-ms-server-encrypted': 'false',
      },
      ...(isPart ? { 'content-range': `bytes ${from}-${end}/${bytes.length}` } : {}),
    })
    response.end(method === 'HEAD' ? undefined : part)
  }

  function list(search: URLSearchParams, response: ServerResponse): void {
    const prefix = search.get('prefix') ?? ''
    const marker = search.get('marker') ?? ''
    azure.asked.push(marker)
    const names = [...azure.blobs.keys()].filter((name) => name.startsWith(prefix) && name >= marker).sort()
    const size = Math.min(azure.pageSize, Number(search.get('maxresults') ?? 5_000))
    const blobs = names.slice(0, size).map((name) => {
      const bytes = azure.blobs.get(name) ?? new Uint8Array()
      const fields = [
        ...[`<Last-Modified>${new Date(0).toUTCString()}</Last-Modified><Etag>${etagOf(bytes)}</Etag>`],
        ...[`<Content-Length>${bytes.length}</Content-Length><BlobType>BlockBlob</BlobType>`],
        ...['<Content-Type>application/octet-stream</Content-Type><AccessTier>Hot</AccessTier>'],
        ...['<LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState>'],
      ]
      return `<Blob><Name>${name.replaceAll('&', '&amp;')}</Name><Properties>${fields.join('')}</Properties></Blob>`
    })
    const xml = `<Prefix>${prefix}</Prefix><Blobs>${blobs.join('')}</Blobs><NextMarker>${names[size] ?? ''}</NextMarker>`
    const open = `<EnumerationResults ServiceEndpoint="${endpoint}/" ContainerName="${container}">`
    response.writeHead(200, { 'content-type': 'application/xml', 'x-ms-version': '2024-11-04' })
    response.end(`<?xml version="1.0" encoding="utf-8"?>${open}${xml}</EnumerationResults>`)
  }

  return azure
}

const etagOf = (bytes: Uint8Array): string =>
  `"0x${createHash('md5').update(bytes).digest('hex').slice(0, 15)}"`

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml', 'x-ms-error-code': code })
  response.end(
    `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
  )
}
