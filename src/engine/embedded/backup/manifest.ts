/**
 * The engine's own list of what a backup holds: the file `.backup`, XML without line breaks that can be long. It is
 * read piece by piece; whatever is not as it should be is a damage of the manifest.
 */
export const manifestFile = '.backup'

export interface ManifestHead {
  uuid: string
  /** The folder of the backup that this one stands on; null = it is full. */
  baseId: string | null
  baseUuid: string
}

export interface ManifestEntry {
  /** What it is when it is restored. */
  name: string
  size: number
  /** Of all of it, 32 hex digits; '' of an empty one. */
  checksum: string
  /** So many bytes from the start lie in the backup that this one stands on, as a file with this checksum. */
  baseSize: number
  baseChecksum: string
  /** Where the rest lies in this backup. */
  dataFile: string
}

export interface Manifest {
  head: ManifestHead
  entries: AsyncIterable<ManifestEntry>
}

export class DamagedManifest extends Error {}

const maxPieceCharacters = 1024 * 1024

/** Resolves when the head is read; the entries come as they are asked for. */
export async function readManifest(chunks: AsyncIterable<Uint8Array>): Promise<Manifest> {
  const pieces = splitPieces(chunks)
  const first = await pieces.next()
  if (first.done || !first.value.endsWith('<contents>')) throw new DamagedManifest('it has no list of files')
  return { head: readHead(first.value), entries: readEntries(pieces) }
}

function readHead(xml: string): ManifestHead {
  const version = field(xml, 'version')
  if (version !== '1') throw new DamagedManifest(`its version is ${version || 'missing'}, not 1`)
  const uuid = field(xml, 'uuid')
  if (uuid === '') throw new DamagedManifest('it has no uuid')
  const base = field(xml, 'base_backup')
  // `File('folder')` or `S3('https://…/folder')`: bases lie beside it, so the folder's name tells all.
  const baseId = /^\w+\('(?:[^']*\/)?([^/']+)\/?'/.exec(base)?.[1] ?? null
  if (base !== '' && baseId === null) throw new DamagedManifest('it does not tell what it stands on')
  return { uuid, baseId, baseUuid: field(xml, 'base_backup_uuid') }
}

async function* readEntries(pieces: AsyncIterator<string>): AsyncGenerator<ManifestEntry> {
  for (;;) {
    const { done, value: xml } = await pieces.next()
    if (done) throw new DamagedManifest('it is cut off')
    if (xml.startsWith('</contents>')) return
    yield readEntry(xml)
  }
}

function readEntry(xml: string): ManifestEntry {
  const name = field(xml, 'name')
  const size = Number(field(xml, 'size') || Number.NaN)
  const checksum = field(xml, 'checksum')
  if (!xml.startsWith('<file>') || name === '' || !Number.isSafeInteger(size)) {
    throw new DamagedManifest('an entry of it cannot be read')
  }
  if (size > 0 && !/^[0-9a-f]{32}$/.test(checksum)) throw new DamagedManifest(`${name} has no checksum`)
  const inBase = field(xml, 'base_size')
  const baseSize = inBase === '' ? (field(xml, 'use_base') === 'true' ? size : 0) : Number(inBase)
  if (!(baseSize <= size)) throw new DamagedManifest(`${name} is smaller than what it stands on`)
  const baseChecksum = baseSize === size ? checksum : field(xml, 'base_checksum')
  const dataFile = field(xml, 'data_file') || name
  return { name, size, checksum, baseSize, baseChecksum: baseSize > 0 ? baseChecksum : '', dataFile }
}

/** First up to the opening of the list, then each entry, then the end. */
async function* splitPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let text = ''
  let mark = '<contents>'
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    let from = 0
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, from)) {
      yield text.slice(from, at + mark.length)
      from = at + mark.length
      mark = '</file>'
    }
    text = text.slice(from)
    if (text.length > maxPieceCharacters) throw new DamagedManifest('it is no list of files')
  }
  if (text !== '') yield text
}

function field(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`)
  const end = xml.indexOf(`</${name}>`, start)
  return start < 0 || end < 0 ? '' : plain(xml.slice(start + name.length + 2, end))
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

const plain = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
