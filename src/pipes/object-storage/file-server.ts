import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { allowedPath, versionOf } from './folder-store.ts'
import type { EnginePlace } from './reading.ts'

/**
 * Serves files of this machine to the engine, which is confined and cannot open them, in the part of the S3 protocol
 * that reads objects: HEAD and GET, with ranges. It listens on the loopback address; the key id of the requests is a
 * secret that lives as long as the server. Users of the service may see the statements that read files, with key and
 * names, so each name has a seal: it opens that file and no other.
 */
export interface FileServer {
  /** Where the engine finds the files, as objects of the bucket `files`. */
  listen(): Promise<EnginePlace>
  /** The name of the object that is the file: its path after the seal, which always has the same length. */
  nameOf(path: string): string
  close(): Promise<void>
}

export function createFileServer(roots: readonly string[]): FileServer {
  const accessKeyId = randomBytes(18).toString('hex')
  const sealing = randomBytes(32)
  const sealOf = (path: string): string =>
    createHmac('sha256', sealing).update(path).digest('hex').slice(0, sealLength)
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  let listening: Promise<number> | null = null

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers, url = '' } = request
    if (!headers.authorization?.includes(`Credential=${accessKeyId}/`))
      return refuse(response, 403, 'AccessDenied')
    const [, seal = '', encoded] = /^\/files\/(\w+)(\/[^?]*)$/.exec(url) ?? []
    if (encoded === undefined || (method !== 'GET' && method !== 'HEAD'))
      return refuse(response, 501, 'NotImplemented')
    const asked = decodeURIComponent(encoded)
    if (!isSame(seal, sealOf(asked))) return refuse(response, 403, 'AccessDenied')
    const path = await allowedPath(asked, roots).catch(() => null)
    const found = path === null ? null : await stat(path, { bigint: true }).catch(() => null)
    if (path === null || !found?.isFile()) return refuse(response, 404, 'NoSuchKey')
    const size = Number(found.size)
    const range = rangeOf(headers.range, size)
    if (range === null) return refuse(response, 416, 'InvalidRange')
    const { start, end } = range
    response.writeHead(headers.range === undefined ? 200 : 206, {
      'content-length': Math.max(0, end - start + 1),
      'content-type': 'application/octet-stream',
      'last-modified': found.mtime.toUTCString(),
      etag: `"${versionOf(found)}"`,
      'accept-ranges': 'bytes',
      ...(headers.range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
    })
    if (method === 'HEAD' || size === 0) response.end()
    else await pipeline(createReadStream(path, { start, end, highWaterMark: 1 << 20 }), response)
  }

  return {
    async listen() {
      listening ??= new Promise((resolve, reject) => {
        server
          .once('error', reject)
          .listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
        server.unref()
      })
      const endpoint = `http://127.0.0.1:${await listening}`
      return {
        kind: 'bucket',
        place: {
          ...{ kind: 'bucket', endpoint, bucket: 'files', isInHost: false },
          ...{ region: 'us-east-1', isGoogle: false, pattern: '' },
        },
        keys: { accessKeyId, secretAccessKey: 'unused' },
      }
    },
    nameOf: (path) => `${sealOf(path)}${path}`,
    async close() {
      if (listening === null) return
      await listening.catch(() => undefined)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Of a seal, as text. */
export const sealLength = 32

const isSame = (given: string, wanted: string): boolean =>
  given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted))

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}

/** Both ends are included. Null = the range is outside of the file. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | null {
  if (header === undefined) return { start: 0, end: size - 1 }
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? []
  if (from === '' && to === '') return null
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to))
  return start > end ? null : { start, end }
}
