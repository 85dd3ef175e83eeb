/** A condition over a row, as SQL that can stand between AND and OR without brackets. */
export interface Condition {
  sql: string
  /** The SQL may be NULL, which means false; only its negation must handle that. */
  canBeNull: boolean
}

export const always: Condition = { sql: 'true', canBeNull: false }
export const never: Condition = { sql: 'false', canBeNull: false }

export const condition = (sql: string, canBeNull: boolean): Condition => ({ sql, canBeNull })

/** True if the value is not NULL. */
export const notNull = (x: string, canBeNull: boolean): Condition =>
  canBeNull ? condition(`${x} IS NOT NULL`, false) : always

export const allOf = (parts: readonly Condition[]): Condition => joined(parts, 'AND')
export const anyOf = (parts: readonly Condition[]): Condition => joined(parts, 'OR')

function joined(parts: readonly Condition[], operator: string): Condition {
  const [first = always] = parts
  if (parts.length <= 1) return first
  return {
    sql: `(${parts.map(({ sql }) => sql).join(` ${operator} `)})`,
    canBeNull: parts.some((part) => part.canBeNull),
  }
}

export const negation = ({ sql, canBeNull }: Condition): Condition =>
  condition(canBeNull ? `NOT ifNull(${sql}, false)` : `NOT (${sql})`, false)
