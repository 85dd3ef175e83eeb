import { unquote } from '../../../../lib/clickhouse/literals.ts'
import { isKeyword, isMark, isName, outline, type Piece } from './outline.ts'

/** A parsed definition, as ClickHouse stores it: `ATTACH TABLE _ UUID '…' (…) ENGINE = …`. */
export interface Definition {
  kind: 'database' | 'table' | 'view' | 'materialized view' | 'dictionary' | 'other'
  /** '' = the definition has no UUID. */
  uuid: string
  /** '' = the definition names no engine. */
  engine: string
  /** The text between the brackets after the engine's name. */
  engineArguments: string
  settings: { name: string; literal: string }[]
  text: string
  /** The tokens after the name and the UUID. */
  body: Piece[]
  /** The range of the SETTINGS clause; the place where it belongs if there is none. */
  settingsStart: number
  settingsEnd: number
}

/** Null if the text is not a complete definition. */
export function readDefinition(text: string): Definition | null {
  const pieces = outline(text)
  if (pieces === null || !(isKeyword(pieces[0], 'attach') || isKeyword(pieces[0], 'create'))) return null
  const kind = readKind(pieces)
  // The name is `_` in databases that identify their tables by UUID.
  let at = kind === 'materialized view' ? 3 : 2
  if (!isName(pieces[at])) return null
  if (kind === 'other') return { ...nothing, kind, text }
  at += isMark(pieces[at + 1], '.') ? 3 : 1
  let uuid = ''
  if (isKeyword(pieces[at], 'uuid') && pieces[at + 1]?.kind === 'string') {
    uuid = unquote(pieces[at + 1]?.text ?? '')
    at += 2
  }
  const body = pieces.slice(at)
  if (body.length === 0) return null
  return { kind, uuid, text, body, ...readEngine(body), ...readSettings(body, text) }
}

const nothing = {
  uuid: '',
  engine: '',
  engineArguments: '',
  settings: [],
  body: [],
  settingsStart: 0,
  settingsEnd: 0,
}

function readKind(pieces: Piece[]): Definition['kind'] {
  const [, first, second] = pieces
  if (isKeyword(first, 'materialized') && isKeyword(second, 'view')) return 'materialized view'
  const kinds = ['table', 'view', 'dictionary', 'database'] as const
  return kinds.find((kind) => isKeyword(first, kind)) ?? 'other'
}

function readEngine(body: Piece[]): { engine: string; engineArguments: string } {
  const at = body.findIndex((piece, i) => isKeyword(piece, 'engine') && isMark(body[i + 1], '='))
  const name = body[at + 2]
  if (at < 0 || !isName(name)) return { engine: '', engineArguments: '' }
  const brackets = body[at + 3]
  return {
    engine: unquote(name.text),
    engineArguments: brackets?.kind === 'group' ? brackets.text.slice(1, -1) : '',
  }
}

/** A column can be called `settings`, even without quotes: the word starts the clause only before `name =`. */
function readSettings(
  body: Piece[],
  text: string,
): Pick<Definition, 'settings' | 'settingsStart' | 'settingsEnd'> {
  const comment = body.findIndex(
    (piece, i) => isKeyword(piece, 'comment') && body[i + 1]?.kind === 'string' && i + 2 === body.length,
  )
  const last = comment < 0 ? body.length : comment
  const end = body[comment]?.start ?? text.trimEnd().length
  const at = body.findIndex(
    (piece, i) => isKeyword(piece, 'settings') && isName(body[i + 1]) && isMark(body[i + 2], '='),
  )
  if (at < 0) return { settings: [], settingsStart: end, settingsEnd: end }
  const settings: Definition['settings'] = []
  for (let i = at + 1; i < last; i++) {
    const name = body[i]
    const from = i + 2
    while (i < last && !isMark(body[i], ',')) i++
    const literal = text.slice(body[from]?.start ?? end, body[i - 1]?.end)
    if (name) settings.push({ name: unquote(name.text), literal })
  }
  return { settings, settingsStart: body[at]?.start ?? end, settingsEnd: end }
}
