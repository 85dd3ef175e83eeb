import { join } from 'node:path'
import { quoteIdentifier, quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { unquote } from '../../../../lib/clickhouse/literals.ts'
import { type Definition, readDefinition } from './definition.ts'
import { rowsOfDatabase, rowsOfTable } from './engines.ts'
import { type MergeReach, mergeReach } from './merge-reach.ts'
import { isKeyword, isMark, isName } from './outline.ts'

/** How a reader treats one of the writer's objects: follows it, leaves it to the writer, or cannot parse it. */
export type ReaderObject =
  | { is: 'followed'; object: FollowedObject }
  | { is: 'left'; reason: string }
  | { is: 'unreadable'; reason: string }

export interface FollowedObject {
  isDictionary: boolean
  /** Objects of a lower rank are attached first: others depend on them. */
  rank: number
  /** The writer's directory with the object's parts; '' = the object has none of its own. */
  partsDir: string
  /** Which tables a Merge table reads; null = the object is no Merge table. */
  reach: MergeReach | null
  /**
   * The statement for the reader. Each attach takes a new UUID, so that it need not wait for the last query on the
   * previously attached object; the engine finds the parts by path, not by UUID.
   */
  statement(name: string, uuid: string): string
}

export const qualified = (database: string, table: string): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(table)}`

export function toReaderObject(
  text: string,
  { database, dataDir }: { database: string; dataDir: string },
): ReaderObject {
  const definition = readDefinition(text)
  if (definition === null) return { is: 'unreadable', reason: 'its definition is not whole' }
  const follow = (object: Partial<FollowedObject> & Pick<FollowedObject, 'statement' | 'rank'>) =>
    ({ is: 'followed', object: { isDictionary: false, partsDir: '', reach: null, ...object } }) as const

  switch (definition.kind) {
    case 'table':
      return toReaderTable(definition, dataDir, follow)
    case 'dictionary':
      // ATTACH does not take a full definition of a dictionary. CREATE loads nothing before the first use.
      return follow({
        isDictionary: true,
        rank: 1,
        statement: (name) => `CREATE OR REPLACE DICTIONARY ${name}${rest(definition)}`,
      })
    case 'view': {
      // A parameterized view has no columns yet, and only CREATE accepts a view without columns.
      const verb = definition.body[0]?.kind === 'group' ? 'ATTACH' : 'CREATE'
      return follow({
        rank: 2,
        statement: (name, uuid) => `${verb} VIEW ${name} UUID '${uuid}'${rest(definition)}`,
      })
    }
    case 'materialized view': {
      const body = readableViewBody(definition, database)
      if (body === null) return { is: 'unreadable', reason: 'a view whose query was not found' }
      return follow({
        rank: 2,
        statement: (name, uuid) => `ATTACH MATERIALIZED VIEW ${name} UUID '${uuid}' ${body}`,
      })
    }
    default:
      return { is: 'left', reason: 'no kind of table that a reader can have' }
  }
}

type Follow = (object: Partial<FollowedObject> & Pick<FollowedObject, 'statement' | 'rank'>) => ReaderObject

function toReaderTable(definition: Definition, dataDir: string, follow: Follow): ReaderObject {
  const { engine, uuid } = definition
  const rows = rowsOfTable(engine)
  if (rows === 'writer') return { is: 'left', reason: `the rows of ${engine || 'it'} are with the writer` }
  if (rows === 'elsewhere') {
    const reach = engine === 'Merge' ? mergeReach(definition.engineArguments) : null
    // Alias and Dictionary tables read their target when attached; Merge tables must know which tables are missing.
    const rank = reach ? 3 : engine === 'Alias' || engine === 'Dictionary' ? 2 : 0
    return follow({
      rank,
      reach,
      statement: (name, id) => `ATTACH TABLE ${name} UUID '${id}'${rest(definition)}`,
    })
  }
  const policy = definition.settings.find((setting) => setting.name === 'storage_policy')?.literal
  const isOnDefaultDisk = policy === undefined || unquote(policy) === 'default'
  if (!isOnDefaultDisk || definition.settings.some((setting) => setting.name === 'disk')) {
    return { is: 'left', reason: 'its parts are on a disk of their own' }
  }
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(uuid)) {
    return { is: 'unreadable', reason: 'it has no UUID to find its parts by' }
  }
  const partsDir = join(dataDir, 'store', uuid.slice(0, 3), uuid, '/')
  const statement = (name: string, id: string) =>
    `ATTACH TABLE ${name} UUID '${id}'${withParts(definition, partsDir)}`
  return follow({ rank: 0, partsDir, statement })
}

/** The text after the name and UUID. */
const rest = ({ body, text }: Definition): string => ` ${text.slice(body[0]?.start).trimEnd()}`

/** Settings that would make the reader write, or that say where the parts are. */
const notForReaders = new Set([
  'non_replicated_deduplication_window',
  'refresh_parts_interval',
  'storage_policy',
  'table_disk',
])

/**
 * The reader reads the parts through a read-only disk of the table's own. `plain` shows the directory as it is; only on
 * such a disk does the engine look for new parts, every second.
 */
function withParts(definition: Definition, partsDir: string): string {
  const { text, body, settingsStart, settingsEnd } = definition
  const kept = definition.settings
    .filter((setting) => !notForReaders.has(setting.name))
    .map((setting) => `${setting.name} = ${setting.literal}`)
  const disk = `disk(type = object_storage, object_storage_type = local, metadata_type = plain, readonly = 1, path = ${quoteString(partsDir)})`
  const settings = [...kept, `disk = ${disk}`, 'table_disk = 1', 'refresh_parts_interval = 1'].join(', ')
  const before = text.slice(body[0]?.start, settingsStart).trimEnd()
  const after = text.slice(settingsEnd).trimEnd()
  return ` ${before}\nSETTINGS ${settings}${after ? `\n${after}` : ''}`
}

/**
 * A materialized view on a reader shows what the writer has put into the view's target. So its definition names the
 * target even where that is an inner table, and the reader neither creates nor refreshes it.
 */
function readableViewBody({ body, text, uuid }: Definition, database: string): string | null {
  const query = body.findIndex(
    (piece, i) =>
      (isKeyword(piece, 'as') &&
        (['select', 'with'].some((word) => isKeyword(body[i + 1], word)) || body[i + 1]?.kind === 'group')) ||
      (isKeyword(piece, 'definer') && isMark(body[i + 1], '=')) ||
      (isKeyword(piece, 'sql') && isKeyword(body[i + 1], 'security')),
  )
  if (query < 0) return null
  const engine = body.findIndex((piece, i) => isKeyword(piece, 'engine') && isMark(body[i + 1], '='))
  const head = body.slice(0, engine >= 0 && engine < query ? engine : query)
  const columns = head.findIndex((piece) => piece.kind === 'group')
  // A name in DEPENDS ON follows a dot; a `to` after the columns is not the clause.
  const to = head.findIndex(
    (piece, i) => isKeyword(piece, 'to') && !isMark(head[i - 1], '.') && (columns < 0 || i < columns),
  )
  let target = qualified(database, `.inner_id.${uuid}`)
  if (to >= 0 && !isKeyword(head[to + 1], 'inner')) {
    const [first, second] = [head[to + 1], head[to + 3]]
    if (!isName(first)) return null
    target =
      isMark(head[to + 2], '.') && isName(second)
        ? qualified(unquote(first.text), unquote(second.text))
        : qualified(database, unquote(first.text))
  }
  return `TO ${target} ${head[columns]?.text ?? ''}\n${text.slice(body[query]?.start).trimEnd()}`
}

export type ReaderDatabase =
  | { is: 'tables'; statement: string }
  | { is: 'whole'; statement: string }
  | { is: 'left' }

/** `tables` = the reader follows its tables one by one; `whole` = the database is the same on every replica. */
export function toReaderDatabase(text: string, database: string): ReaderDatabase {
  const name = quoteIdentifier(database)
  const tables = { is: 'tables', statement: `CREATE DATABASE ${name} ENGINE = Atomic` } as const
  if (text === '') return tables
  const definition = readDefinition(text)
  const rows = definition?.kind === 'database' ? rowsOfDatabase(definition.engine) : 'writer'
  if (definition === null || rows === 'writer') return { is: 'left' }
  return rows === 'shared' ? tables : { is: 'whole', statement: `CREATE DATABASE ${name}${rest(definition)}` }
}
