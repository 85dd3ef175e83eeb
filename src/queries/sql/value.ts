import { quoteIdentifier, quoteString } from '../../lib/clickhouse/identifiers.ts'
import type { ColumnType } from '../../lib/where/column-type.ts'
import type { Place, Step } from '../../lib/where/fields.ts'
import { isNumber } from '../../lib/where/text-condition.ts'

/** An expression over the columns of a row. What is absent in a row, such as the key of a map, is NULL. */
export interface Value {
  sql: string
  type: ColumnType
}

/** The value at a place of a row. */
export function placeValue({ column, steps, type }: Place): Value {
  return along({ sql: quoteIdentifier(column), type }, steps, 0)
}

/** `value.type` is that of the place at the end of all steps. */
function along({ sql: x, type }: Value, steps: readonly Step[], index: number): Value {
  const step = steps[index]
  if (step === undefined) return asScalar({ sql: x, type })
  const rest = (sql: string): Value => along({ sql, type }, steps, index + 1)
  switch (step.kind) {
    case 'part':
      return rest(`tupleElement(${x}, ${typeof step.part === 'number' ? step.part : quoteString(step.part)})`)
    case 'path':
      return rest(pathInto(x, step.keys, index === 0))
    case 'each': {
      const name = `e${index}`
      const element = rest(name)
      const type: ColumnType = { kind: 'array', element: element.type, isNullable: false }
      return { sql: element.sql === name ? x : `arrayMap(${name} -> ${element.sql}, ${x})`, type }
    }
    case 'key': {
      const { key, hasTextKeys } = step
      const literal = quoteString(key)
      const keys = `arrayMap(k${index} -> toString(k${index}), mapKeys(${x}))`
      const found = rest(
        hasTextKeys ? `${x}[${literal}]` : `arrayElement(mapValues(${x}), indexOf(${keys}, ${literal}))`,
      )
      // Arrays, maps and tuples cannot be NULL: an absent one is empty.
      if (isContainer(found.type)) return found
      const isThere = hasTextKeys ? `mapContains(${x}, ${literal})` : `has(${keys}, ${literal})`
      return { sql: `if(${isThere}, ${found.sql}, NULL)`, type: { ...found.type, isNullable: true } }
    }
  }
}

function pathInto(x: string, keys: readonly string[], isColumn: boolean): string {
  if (isColumn) return `${x}.${keys.map(quoteIdentifier).join('.')}`
  return `getSubcolumn(${x}, ${quoteString(keys.join('.'))})`
}

/** What may be of any type is read as text. */
function asScalar({ sql: x, type }: Value): Value {
  const text: ColumnType = { kind: 'text', name: 'String', isNullable: true }
  if (type.kind === 'dynamic') return { sql: `CAST(CAST(${x}, 'Dynamic'), 'Nullable(String)')`, type: text }
  if (type.kind !== 'json-text') return { sql: x, type }
  const place = [x, ...type.path.map(quoteString)].join(', ')
  const raw = `JSONExtractRaw(${place})`
  const string = `JSONExtractString(${place})`
  return {
    sql: `if(JSONType(${place}) = 'String', ${string}, nullIf(nullIf(${raw}, ''), 'null'))`,
    type: text,
  }
}

const isContainer = ({ kind }: ColumnType): boolean =>
  kind === 'array' || kind === 'map' || kind === 'tuple' || kind === 'json'

/** The value as a number; NULL where a text is none. Null = values of this type are no numbers. */
export function numberOf({ sql, type }: Value): Value | null {
  switch (type.kind) {
    case 'integer':
    case 'float':
    case 'decimal':
      return { sql, type }
    case 'bool':
      return {
        sql: `toUInt8(${sql})`,
        type: { ...type, kind: 'integer', name: 'UInt8', bits: 8, isSigned: false },
      }
    case 'text': {
      const text = type.name === 'String' ? sql : `toString(${sql})`
      return {
        sql: `if(match(${text}, ${isNumber}), toFloat64OrNull(${text}), NULL)`,
        type: { kind: 'float', name: 'Float64', isNullable: true },
      }
    }
    default:
      return null
  }
}

/** Whether there is something: neither NULL nor empty. */
export function existsOf({ sql, type }: Value): string {
  switch (type.kind) {
    case 'text':
      return `ifNull(${type.name === 'String' ? sql : `toString(${sql})`} != '', false)`
    case 'array':
    case 'map':
      return `notEmpty(${sql})`
    default:
      return `isNotNull(${sql})`
  }
}
