import { nearestNames } from '../nearest.ts'
import { type ColumnType, parseColumnType } from './column-type.ts'
import { shown, WhereError } from './where-error.ts'

/** The fields that a text may name. */
export interface WhereSource {
  /** As `system.columns` shows them. */
  columns: readonly { name: string; type: string }[]
  /** Name → column or path. */
  aliases?: Readonly<Record<string, string>>
  /** The text column that words without a field search; '' = none. */
  implicitColumn?: string
}

/** A place in a row: a column, and the steps from it to the searched value. */
export interface Place {
  column: string
  steps: readonly Step[]
  type: ColumnType
}

export type Step =
  /** Any element of an array. */
  | { kind: 'each' }
  | { kind: 'key'; key: string; hasTextKeys: boolean; value: ColumnType }
  /** An element of a tuple, by its name or by its number from 1. */
  | { kind: 'part'; part: string | number }
  | { kind: 'path'; keys: readonly string[] }

export type Fields = ReturnType<typeof createFields>

/** Resolves a name: an alias, else a column, else the longest of these before a dot with the rest as path. */
export function createFields({ columns, aliases = {} }: WhereSource) {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const parsed = new Map<string, ColumnType>()
  const names = [...Object.keys(aliases), ...types.keys()]

  function typeOf(column: string): ColumnType {
    const type = parsed.get(column) ?? parseColumnType(types.get(column) ?? '')
    parsed.set(column, type)
    return type
  }

  function unknown(name: string, at: number, among: Iterable<string> = names): WhereError {
    return new WhereError('not_found', `no field ${shown(name)}`, at, nearestNames(name, among))
  }

  function find(name: string, at: number): Place {
    const [known, rest] = split(name, (part) => Object.hasOwn(aliases, part) || types.has(part))
    if (known === null) throw unknown(name, at)
    const target = Object.hasOwn(aliases, known) ? (aliases[known] ?? '') : known
    return findInColumns(rest === '' ? target : `${target}.${rest}`, name, at)
  }

  /** `given` is the name in the text; an alias maps it to another name. */
  function findInColumns(name: string, given: string, at: number): Place {
    const [column, rest] = split(name, (part) => types.has(part))
    if (column !== null) {
      const place: Place = { column, steps: [], type: typeOf(column) }
      const found = rest === '' ? place : descend(place, rest)
      if (found !== null) return found
      throw unknown(given, at, [...names, ...partNames(place.type).map((part) => `${column}.${part}`)])
    }
    if (name === given) throw unknown(name, at)
    const message = `the alias ${shown(given)} leads to ${shown(name)}, which is no column`
    throw new WhereError('not_found', message, at, nearestNames(name, types.keys()))
  }

  return {
    find,
    column: (name: string, at: number): Place => findInColumns(name, name, at),
  }
}

/** Splits at the last dot before which the name is known; a name known as a whole has no rest. */
function split(name: string, isKnown: (part: string) => boolean): [string | null, string] {
  if (isKnown(name)) return [name, '']
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const known = name.slice(0, dot)
    if (dot < name.length - 1 && isKnown(known)) return [known, name.slice(dot + 1)]
  }
  return [null, '']
}

function descend(place: Place, path: string): Place | null {
  const { type, steps, column } = place
  const go = (next: ColumnType, rest: string, ...more: Step[]): Place | null => {
    const reached = { column, steps: [...steps, ...more], type: next }
    return rest === '' ? reached : descend(reached, rest)
  }
  switch (type.kind) {
    case 'array':
      return go(type.element, path, { kind: 'each' })
    case 'map': {
      const [key, rest] = isContainer(type.value) ? cut(path) : [path, '']
      const hasTextKeys = type.key.kind === 'text' && type.key.name === 'String'
      return go(type.value, rest, { kind: 'key', key, hasTextKeys, value: type.value })
    }
    case 'tuple': {
      const [name, rest] = cut(path)
      const index = type.parts.findIndex((part, i) => (part.name ?? String(i + 1)) === name)
      const part = type.parts[index]
      return part ? go(part.type, rest, { kind: 'part', part: part.name ?? index + 1 }) : null
    }
    case 'json':
    case 'text': {
      const keys = path.split('.')
      if (keys.includes('')) return null
      if (type.kind === 'json') return go({ kind: 'dynamic', isNullable: true }, '', { kind: 'path', keys })
      const { isNullable } = type
      return type.name === 'String' ? go({ kind: 'json-text', path: keys, isNullable }, '') : null
    }
    default:
      return null
  }
}

const isContainer = ({ kind }: ColumnType): boolean => kind === 'map' || kind === 'tuple' || kind === 'json'

function cut(path: string): [string, string] {
  const dot = path.indexOf('.')
  return dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)]
}

export function partNames(type: ColumnType): string[] {
  if (type.kind === 'array') return partNames(type.element)
  return type.kind === 'tuple' ? type.parts.map(({ name }, index) => name ?? String(index + 1)) : []
}
