import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The part of the S3 protocol that lists a bucket, over names that are computed: for lists too long to store. */
export interface ListingServer {
  /** Of the bucket, with a slash at its end. */
  url: string
  /** The `start-after` of each listing. */
  asked: string[]
  /** When set, every request is answered so. */
  failure: { status: number; code: string } | null
  close(): Promise<void>
}

/** `nameAt` grows with its index; the server finds a name by bisection. */
export async function startListingServer(
  count: () => number,
  nameAt: (index: number) => string,
): Promise<ListingServer> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (listing.failure !== null)
      return answer(response, listing.failure.status, errorXml(listing.failure.code))
    if (!searchParams.has('list-type')) return answer(response, 206, 'x')
    const prefix = searchParams.get('prefix') ?? ''
    const after = searchParams.get('start-after') ?? ''
    listing.asked.push(after)
    const from = bisect(count(), (index) => nameAt(index) > after && nameAt(index) >= prefix)
    const contents: string[] = []
    let index = from
    for (; index < count() && contents.length < 1_000 && nameAt(index).startsWith(prefix); index++) {
      const time = '<LastModified>2026-01-01T00:00:00.000Z</LastModified>'
      contents.push(`<Contents><Key>${nameAt(index)}</Key>${time}<ETag>"e"</ETag><Size>10</Size></Contents>`)
    }
    const isTruncated = index < count() && nameAt(index).startsWith(prefix)
    const xml = `<IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}`
    answer(response, 200, `<?xml version="1.0"?><ListBucketResult>${xml}</ListBucketResult>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const listing: ListingServer = {
    url: `http://127.0.0.1:${port}/listed/`,
    asked: [],
    failure: null,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return listing
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(text)
}

const errorXml = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`

/** The first index for which the condition holds. */
function bisect(end: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, end]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
