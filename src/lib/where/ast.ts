/** The parsed form of a where text, before any table is known. Each `at` is an offset in that text. */
export type Query =
  | { kind: 'all' }
  | { kind: 'and' | 'or'; parts: readonly Query[] }
  | { kind: 'not'; part: Query }
  | Clause

export interface Clause {
  kind: 'clause'
  /** Null = the word has no field and searches the implicit column. */
  field: FieldName | null
  term: Term
}

export interface FieldName {
  name: string
  at: number
}

export type Term =
  | Value
  /** The literal pieces between the wildcards: `a*b` is ['a', 'b'], `*b` is ['', 'b']. */
  | { kind: 'pattern'; pieces: readonly string[]; at: number }
  /** `*` alone. */
  | { kind: 'any'; at: number }
  | Comparison
  | Range

export type Value = Literal | Variable

export interface Literal {
  kind: 'word' | 'phrase'
  /** The value without quotes and escapes. */
  text: string
  at: number
}

export interface Variable {
  kind: 'variable'
  name: string
  at: number
}

export interface Comparison {
  kind: 'compare'
  operator: '>' | '>=' | '<' | '<='
  value: Value
  at: number
}

export interface Range {
  kind: 'range'
  /** Null = this end is open. */
  low: Value | null
  high: Value | null
  includesLow: boolean
  includesHigh: boolean
  at: number
}

/** A term whose variables have been replaced by their values. */
export type BoundTerm = Exclude<Term, Variable>
