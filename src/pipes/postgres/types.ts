import type { ChangeColumn, ChangeForm } from '../changes.ts'

/** A row of pg_type. */
export interface PgType {
  oid: number
  kind: string
  category: string
  element: number
  base: number
  baseModifier: number
}

export type PgTypes = ReadonlyMap<number, PgType>

/** A column of a source table. */
export interface SourceColumn extends ChangeColumn {
  /** Stays when the column is renamed. */
  number: number
}

const known: Record<number, [string, ChangeForm?]> = {
  16: ['Bool'],
  17: ['String', 'bytes'],
  20: ['Int64'],
  21: ['Int16'],
  23: ['Int32'],
  26: ['UInt32'],
  700: ['Float32'],
  701: ['Float64'],
  1082: ['Date32', 'date'],
  1083: ['Time64(6)', 'time'],
  1114: ["DateTime64(6, 'UTC')", 'timestamp'],
  1184: ["DateTime64(6, 'UTC')", 'timestamp'],
  2950: ['UUID'],
}
const numeric = 1700
/** Vectors and boxes do not look like other arrays. */
const oddArrays = new Set([22, 30, 1020])

/** Types without a match in the engine are texts, as Postgres prints them. */
export function typeOf(
  oid: number,
  modifier: number,
  types: PgTypes,
): Pick<ChangeColumn, 'type' | 'form' | 'isArray'> {
  const type = types.get(oid)
  if (type?.kind === 'd')
    return typeOf(type.base, type.baseModifier >= 0 ? type.baseModifier : modifier, types)
  if (type?.category === 'A' && type.element !== 0 && !oddArrays.has(oid)) {
    const element = typeOf(type.element, modifier, types)
    return element.isArray ? text : { ...element, isArray: true }
  }
  if (oid === numeric) return { ...numberType(modifier), isArray: false }
  if (type?.kind === 'e') return { ...text, type: 'LowCardinality(String)' }
  const [name, form = 'plain'] = known[oid] ?? ['String']
  return { type: name, form, isArray: false }
}

const text = { type: 'String', form: 'plain' as const, isArray: false }

function numberType(modifier: number): { type: string; form: ChangeForm } {
  if (modifier < 4) return { type: 'Decimal(76, 38)', form: 'decimal' }
  const packed = modifier - 4
  const declared = (packed >> 16) & 0xffff
  // The scale has 11 bits with a sign.
  const scale = ((packed & 0x7ff) ^ 1024) - 1024
  const precision = scale < 0 ? declared - scale : Math.max(declared, scale)
  if (precision > 76) return { type: 'String', form: 'plain' }
  return { type: `Decimal(${precision}, ${Math.max(0, scale)})`, form: 'decimal' }
}
