/** A column of the table as it is now. */
export interface TargetColumn {
  name: string
  type: string
  /** The column has a DEFAULT expression. */
  hasDefault: boolean
}

/** `LowCardinality(Nullable(String))` → `String`: the type of the values alone. */
export function bareType(type: string): string {
  const inner = /^(?:LowCardinality|Nullable)\((.*)\)$/s.exec(type)?.[1]
  return inner === undefined ? type : bareType(inner)
}

/** The same type with NULL, in which a field that a record does not have is told from a zero; null = there is none. */
export function nullableType(type: string): string | null {
  if (type.startsWith('Nullable(') || type.startsWith('LowCardinality(Nullable(')) return type
  const inner = /^LowCardinality\((.*)\)$/s.exec(type)?.[1]
  if (inner !== undefined) return `LowCardinality(Nullable(${inner}))`
  return composite.test(type) ? null : `Nullable(${type})`
}

const composite =
  /^(Array|Map|Tuple|Nested|JSON|Object|Variant|Dynamic|AggregateFunction|SimpleAggregateFunction|QBit|Point|Ring|Polygon|MultiPolygon|LineString|MultiLineString|Geometry)\b/

/** Whether values of the declared type can go into a column of the actual one: both are of one family. */
export function isCompatible(declared: string, actual: string): boolean {
  const [one, other] = [bareType(declared), bareType(actual)]
  if (one === other) return true
  const family = familyOf(one)
  return family !== '' && family === familyOf(other)
}

function familyOf(type: string): string {
  return families.find(([, pattern]) => pattern.test(type))?.[0] ?? ''
}

const families: readonly (readonly [string, RegExp])[] = [
  ['number', /^(U?Int\d+|Float(32|64)|BFloat16|Decimal(32|64|128|256)?\(.*\)|Bool)$/],
  ['time', /^(Date|Date32|DateTime(\(.*\))?|DateTime64\(.*\))$/],
  ['text', /^(String|FixedString\(\d+\)|Enum(8|16)\(.*\))$/s],
]
