/**
 * The engine's own list of a backup's files: `.backup`, XML without line breaks that can be long. It is read
 * piece by piece, and every irregularity counts as damage of the manifest. That includes XML that the engine
 * would read but never write, such as comments and repeated fields: there, another XML reader might see other
 * names than the engine does.
 */
export const manifestFile = '.backup'

export interface ManifestHead {
  uuid: string
  /** The folder of the base backup; null = this backup is full. */
  baseId: string | null
  baseUuid: string
}

export interface ManifestEntry {
  /** The file's path after a restore. */
  name: string
  size: number
  /** Of the whole content, 32 hex digits; '' for an empty file. */
  checksum: string
  /** The first `baseSize` bytes are in the base backup, as a file with the checksum `baseChecksum`. */
  baseSize: number
  baseChecksum: string
  /** The file in this backup that holds the rest. */
  dataFile: string
}

export interface Manifest {
  head: ManifestHead
  entries: AsyncIterable<ManifestEntry>
}

export class DamagedManifest extends Error {}

const maxPieceCharacters = 1024 * 1024

const endPattern = /^\s*<\/contents>\s*<\/config>\s*$/

/** Resolves when the head is read; the entries are read on demand. */
export async function readManifest(chunks: AsyncIterable<Uint8Array>): Promise<Manifest> {
  const pieces = splitPieces(chunks)
  const first = await pieces.next()
  if (first.done || !first.value.endsWith('<contents>')) throw new DamagedManifest('it has no list of files')
  return { head: readHead(fieldsOf(first.value, '<config>', '<contents>')), entries: readEntries(pieces) }
}

function readHead(field: Fields): ManifestHead {
  const version = field('version')
  if (version !== '1') throw new DamagedManifest(`its version is ${version || 'missing'}, not 1`)
  const uuid = field('uuid')
  if (uuid === '') throw new DamagedManifest('it has no uuid')
  const base = field('base_backup')
  // `File('folder')` or `S3('https://…/folder')`: bases share the location, so the folder's name is enough.
  const baseId = /^\w+\('(?:[^']*\/)?([^/']+)\/?'/.exec(base)?.[1] ?? null
  if (base !== '' && baseId === null) throw new DamagedManifest('it does not tell what it stands on')
  return { uuid, baseId, baseUuid: field('base_backup_uuid') }
}

async function* readEntries(pieces: AsyncIterator<string>): AsyncGenerator<ManifestEntry> {
  for (;;) {
    const { done, value: xml } = await pieces.next()
    if (done) throw new DamagedManifest('it is cut off')
    if (endPattern.test(xml)) return
    yield readEntry(fieldsOf(xml, '<file>', '</file>', entryFields))
  }
}

function readEntry(field: Fields): ManifestEntry {
  const name = field('name')
  const size = numberOf(field('size'))
  const checksum = field('checksum')
  const usesBase = field('use_base')
  const isPlain = usesBase === 'true' || (usesBase === '' && field('base_size') === '')
  if (!isPlain || name === '' || !Number.isSafeInteger(size)) {
    throw new DamagedManifest('an entry of it cannot be read')
  }
  if (size > 0 && !/^[0-9a-f]{32}$/.test(checksum)) throw new DamagedManifest(`${name} has no checksum`)
  const inBase = field('base_size')
  const baseSize = inBase === '' ? (usesBase === '' ? 0 : size) : numberOf(inBase)
  if (!(baseSize <= size)) throw new DamagedManifest(`${name} is smaller than what it stands on`)
  const baseChecksum = baseSize === size ? checksum : field('base_checksum')
  const dataFile = field('data_file') || name
  return { name, size, checksum, baseSize, baseChecksum: baseSize > 0 ? baseChecksum : '', dataFile }
}

/** Yields the text up to the list's opening tag, then each entry, then the end. */
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

/** The text of a field; '' = the field is missing. */
type Fields = (name: string) => string

const entryFields = ['name', 'size', 'checksum', 'use_base', 'base_size', 'base_checksum', 'data_file']

/** Plain fields between an opening and a closing tag, each at most once. */
function fieldsOf(xml: string, opening: string, end: string, known?: readonly string[]): Fields {
  const fields = new Map<string, string>()
  const text = xml.trim()
  const next = /\s*<(\w+)>([^<]*)<\/\1>\s*/y
  next.lastIndex = text.startsWith(opening) ? opening.length : text.length
  const last = text.length - end.length
  while (next.lastIndex !== last) {
    const [, name = '', value = ''] = next.exec(text) ?? []
    if (name === '' || fields.has(name) || known?.includes(name) === false) {
      throw new DamagedManifest('an entry of it cannot be read')
    }
    fields.set(name, plain(value))
  }
  return (name) => fields.get(name) ?? ''
}

const numberOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN)

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

const plain = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
