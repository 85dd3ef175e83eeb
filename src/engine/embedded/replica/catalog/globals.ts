import { quoteIdentifier } from '../../../../lib/clickhouse/identifiers.ts'
import { unquote } from '../../../../lib/clickhouse/literals.ts'
import { isKeyword, isName, outline } from './outline.ts'
import type { Retries } from './retries.ts'
import type { WriterCatalog } from './writer-files.ts'

/** SQL functions and named collections, which belong to no database and are replaced as a whole. */
export function createGlobals(run: (sql: string) => Promise<string>, retries: Retries) {
  /** By the name used in messages: the text that the reader has, and the statement that removes it. */
  const present = new Map<string, { text: string; drop: string }>()

  async function put(key: string, text: string, wanted: Global): Promise<void> {
    if (present.get(key)?.text === text || !retries.mayTry(key, text)) return
    try {
      for (const statement of wanted.create) await run(statement)
      present.set(key, { text, drop: wanted.drop })
      retries.done(key)
    } catch (error) {
      retries.failed(key, text, error, 'secret')
    }
  }

  return {
    async apply({ functions, namedCollections }: WriterCatalog): Promise<void> {
      const wanted = [...named('named collection', namedCollections), ...named('function', functions)]
      const keys = new Set(wanted.map(({ key }) => key))
      for (const [key, { text, drop }] of present) {
        if (keys.has(key) || !retries.mayTry(key, text)) continue
        try {
          await run(drop)
          present.delete(key)
          retries.done(key)
        } catch (error) {
          retries.failed(key, text, error, 'secret')
        }
      }
      // Functions may call one another in any order: the engine resolves the calls only when a query runs.
      for (const { key, text, global } of wanted) await put(key, text, global)
    },
    /** Whether a failure under this name concerns an object that still exists. */
    isKnown: (key: string, { functions, namedCollections }: WriterCatalog): boolean =>
      present.has(key) ||
      [...named('named collection', namedCollections), ...named('function', functions)].some(
        (each) => each.key === key,
      ),
  }
}

interface Global {
  create: string[]
  drop: string
}

function named(
  kind: Kind,
  files: WriterCatalog['functions'],
): { key: string; text: string; global: Global }[] {
  return [...files].flatMap(([fileName, text]) => {
    const global = kinds[kind](text)
    // The file is half written or no definition; the next poll reads it again.
    return global === null ? [] : [{ key: `${kind} ${fileName}`, text, global }]
  })
}

type Kind = 'function' | 'named collection'

const kinds: Record<Kind, (text: string) => Global | null> = {
  function(text) {
    const found = split(text, 'function')
    if (found === null) return null
    return {
      create: [`CREATE OR REPLACE FUNCTION ${found.name}${found.rest}`],
      drop: `DROP FUNCTION IF EXISTS ${found.name}`,
    }
  },
  'named collection'(text) {
    const found = split(text, 'collection')
    if (found === null) return null
    const drop = `DROP NAMED COLLECTION IF EXISTS ${found.name}`
    return { create: [drop, `CREATE NAMED COLLECTION ${found.name}${found.rest}`], drop }
  },
}

/** Splits `CREATE … <keyword> [IF NOT EXISTS] name AS …` at its name. */
function split(text: string, keyword: string): { name: string; rest: string } | null {
  const pieces = outline(text) ?? []
  const at = pieces.findIndex((piece) => isKeyword(piece, keyword))
  if (at < 1 || !isKeyword(pieces[0], 'create')) return null
  const name = isKeyword(pieces[at + 1], 'if') ? pieces[at + 4] : pieces[at + 1]
  if (!isName(name) || !text.slice(name.end).trim()) return null
  return { name: quoteIdentifier(unquote(name.text)), rest: text.slice(name.end).trimEnd() }
}
