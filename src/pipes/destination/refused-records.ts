import { EngineFailure, type Questions } from './questions.ts'
import type { Target } from './target.ts'
import { withTwin } from './twin.ts'

/** A table does not take some records that can be read. */
export interface Refusing {
  questions: Questions
  target: Target
  token: string
  /** Inserts the records into a twin of the table, with the place of each in `placeColumn`. */
  insertInto(twin: string): Promise<unknown>
}

/**
 * The records that constraints of the table refuse, by their place among those that are inserted, with reasons. The
 * engine names the constraint that the first of them violates, with its expression. A twin that keeps rows loses one
 * constraint after another until it takes all records; then it tells which rows each expression refuses, however many
 * they are. Null = constraints are not what keeps the records out, or a record is not one row.
 */
export function findViolations(
  { questions, target, token, insertInto }: Refusing,
  records: number,
  signal: AbortSignal,
): Promise<Map<number, string> | null> {
  return withTwin(
    { questions, target, token, engine: 'MergeTree ORDER BY tuple()' },
    signal,
    async (twin) => {
      await questions.run(`ALTER TABLE ${twin} ADD COLUMN ${placeColumn} UInt64`, { signal })
      const violated: Constraint[] = []
      for (;;) {
        const constraint = await insertInto(twin).then(() => null, constraintOf)
        if (constraint === null) break
        violated.push(constraint)
        await questions.run(`ALTER TABLE ${twin} DROP CONSTRAINT ${constraint.name}`, { signal })
      }
      const rows = await questions.run(`SELECT count() FROM ${twin}`, { signal })
      if (Number(rows) !== records) return null
      const found = new Map<number, string>()
      for (const { name, expression } of violated) {
        const reason = `the constraint ${name} of the table refuses the record: ${expression}`
        const places = await questions.rows<{ n: string }>(
          `SELECT toString(${placeColumn}) AS n FROM ${twin} WHERE ifNull(NOT ${expression}, 1)`,
          { signal },
        )
        for (const { n } of places) if (!found.has(Number(n))) found.set(Number(n), reason)
      }
      return found
    },
  ).catch((error: unknown) => {
    if (error instanceof EngineFailure && error.meaning !== 'retry') return null
    throw error
  })
}

/** A part does not keep the order of an insert, so the twin has a column for it. */
export const placeColumn = '`_pipe_place`'

/** As the engine writes them: the name in quotes, the expression in parentheses. */
interface Constraint {
  name: string
  expression: string
}

/** Rethrows an error that is about no constraint. */
function constraintOf(error: unknown): Constraint {
  const { message } = error as Error
  const [, name, expression] =
    // Values of the record come last, so they cannot pass for an expression.
    /^Constraint (`(?:[^`\\]|\\.)*`) for table .*? is violated.*?\. Expression: (\(.*?\))\.(?: Column values: |Constraint expression returns)/s.exec(
      message,
    ) ?? []
  if (name === undefined || expression === undefined) throw error
  return { name, expression }
}
