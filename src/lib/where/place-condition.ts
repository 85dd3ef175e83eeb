import { quoteIdentifier, quoteString } from '../clickhouse/identifiers.ts'
import type { BoundTerm } from './ast.ts'
import type { ColumnType } from './column-type.ts'
import { allOf, anyOf, type Condition, condition, notNull } from './condition.ts'
import { dynamicCondition, jsonTextCondition } from './dynamic-condition.ts'
import { type Place, partNames, type Step } from './fields.ts'
import { orderedCondition } from './ordered-condition.ts'
import { textCondition } from './text-condition.ts'
import { invalidValue, WhereError } from './where-error.ts'

/** The condition of a term on a place in a row. */
export function placeCondition(place: Place, term: BoundTerm): Condition {
  return along(quoteIdentifier(place.column), place, 0, term)
}

function along(x: string, place: Place, index: number, term: BoundTerm): Condition {
  const step = place.steps[index]
  if (step === undefined) return valueCondition(x, place.type, place.column, term)
  const rest = (next: string): Condition => along(next, place, index + 1, term)
  switch (step.kind) {
    case 'each':
      return someElement(x, index, rest)
    case 'part':
      return rest(`tupleElement(${x}, ${typeof step.part === 'number' ? step.part : quoteString(step.part)})`)
    case 'key':
      return ofKey(x, step, index, isOnlyThere(step, place, index, term) ? keyIsThere(step) : rest)
    case 'path':
      return ofPath(x, step.keys, index === 0, term, rest)
  }
}

/** The lambda's argument hides a column of the same name, which the lambda never needs. */
function someElement(x: string, depth: number, test: (element: string) => Condition): Condition {
  const element = `e${depth}`
  return condition(`arrayExists(${element} -> ${test(element).sql}, ${x})`, false)
}

type KeyStep = Extract<Step, { kind: 'key' }>

/** `*` on a key whose value is not text only asks whether the map has the key. */
const isOnlyThere = ({ value }: KeyStep, place: Place, index: number, term: BoundTerm): boolean =>
  term.kind === 'any' &&
  index === place.steps.length - 1 &&
  value.kind !== 'text' &&
  value.kind !== 'json-text'

const keyIsThere =
  ({ value }: KeyStep) =>
  (x: string): Condition =>
    notNull(x, value.isNullable)

function ofKey(x: string, step: KeyStep, depth: number, test: (value: string) => Condition): Condition {
  const key = quoteString(step.key)
  if (step.hasTextKeys) {
    return allOf([condition(`mapContains(${x}, ${key})`, false), test(`${x}[${key}]`)])
  }
  const [name, value] = [`k${depth}`, `e${depth}`]
  const both = `toString(${name}) = ${key} AND ${test(value).sql}`
  return condition(`arrayExists((${name}, ${value}) -> ${both}, mapKeys(${x}), mapValues(${x}))`, false)
}

/** Objects have no value at their own path; the engine returns them at the path with `^`. */
function ofPath(
  x: string,
  keys: readonly string[],
  isColumn: boolean,
  term: BoundTerm,
  test: (value: string) => Condition,
): Condition {
  const names = keys.map(quoteIdentifier).join('.')
  const reach = (name: string, quoted: string): string =>
    isColumn ? `${x}.${quoted}` : `getSubcolumn(${x}, ${quoteString(name)})`
  const value = test(reach(keys.join('.'), names))
  if (term.kind !== 'any') return value
  const [first = '', ...others] = keys
  const object = reach([`^${quoteIdentifier(first)}`, ...others].join('.'), `^${names}`)
  return anyOf([value, condition(`toString(${object}) != '{}'`, false)])
}

function valueCondition(x: string, type: ColumnType, column: string, term: BoundTerm, depth = 20): Condition {
  switch (type.kind) {
    case 'text':
      return textCondition(type.name === 'String' ? x : `toString(${x})`, type.isNullable, term)
    case 'bool':
      return boolCondition(x, type.isNullable, term)
    case 'integer':
    case 'decimal':
    case 'float':
    case 'date':
    case 'time':
      return orderedCondition(x, type, term)
    case 'array':
    case 'map': {
      if (term.kind === 'any') return condition(`notEmpty(${x})`, false)
      const [elements, inner] = type.kind === 'array' ? [x, type.element] : [`mapValues(${x})`, type.value]
      if (term.kind === 'phrase' && inner.kind === 'text' && inner.name === 'String') {
        return condition(`has(${elements}, ${quoteString(term.text)})`, false)
      }
      return someElement(elements, depth, (element) =>
        valueCondition(element, inner, column, term, depth + 1),
      )
    }
    case 'dynamic':
      return dynamicCondition(x, term)
    case 'json-text':
      return jsonTextCondition(x, type.path, type.isNullable, term)
    case 'json':
      if (term.kind === 'any') return condition(`toString(${x}) != '{}'`, type.isNullable)
      throw invalidValue('this field is an object: name a path in it', term.at)
    case 'tuple': {
      const parts = partNames(type).map((part) => `${column}.${part}`)
      throw new WhereError(
        'invalid_value',
        'this field is a tuple: name a part of it',
        term.at,
        parts.slice(0, 5),
      )
    }
    case 'unknown':
      throw invalidValue(`a field of type ${type.name} cannot be searched`, term.at)
  }
}

function boolCondition(x: string, isNullable: boolean, term: BoundTerm): Condition {
  if (term.kind === 'any') return notNull(x, isNullable)
  if (term.kind === 'word' || term.kind === 'phrase') {
    const text = term.text.toLowerCase()
    if (text === 'true' || text === '1') return condition(`${x} = true`, isNullable)
    if (text === 'false' || text === '0') return condition(`${x} = false`, isNullable)
  }
  throw invalidValue('this field is true or false', term.at)
}
