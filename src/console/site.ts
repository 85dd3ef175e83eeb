import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

/** The built console: its files by the path of their address, `/index.html` among them. */
export type Site = ReadonlyMap<string, SiteFile>

export interface SiteFile {
  type: string
  plain: Buffer
  /** Absent = compression would not make it smaller. */
  br?: Buffer
  gzip?: Buffer
  /** Of the plain bytes, without quotes. */
  hash: string
}

/** What the builder writes beside a file that it compressed. */
export const codings = { br: '.br', gzip: '.gz' } as const

export type ConsoleState =
  | { readonly kind: 'building' }
  | { readonly kind: 'ready'; readonly site: Site }
  | { readonly kind: 'failed' }

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.md': 'text/plain; charset=utf-8',
}

/** Reads a whole build, about a megabyte, so that a later build may remove its folder. */
export async function loadSite(folder: string): Promise<Site> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const bytes = new Map(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const)))
  const site = new Map<string, SiteFile>()
  for (const [file, plain] of bytes) {
    if (file.endsWith(codings.br) || file.endsWith(codings.gzip)) continue
    const [br, gzip] = [bytes.get(file + codings.br), bytes.get(file + codings.gzip)]
    site.set(`/${relative(folder, file).replaceAll(sep, '/')}`, {
      type: types[extname(file)] ?? 'application/octet-stream',
      plain,
      ...(br ? { br } : {}),
      ...(gzip ? { gzip } : {}),
      hash: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
    })
  }
  if (!site.has('/index.html')) throw new Error(`the build in ${folder} has no index.html`)
  return site
}
