import { EngineError } from '../engine-error.ts'
import { filterSwitch } from './filter-switch.ts'
import { createRules } from './rules.ts'
import { isSuspicious } from './suspicious.ts'
import { walk } from './walk.ts'

/**
 * Refuses SQL that would reach the files or programs of this machine, or other owners' data, in ways that the engine
 * does not guard by grants when it runs as a library. (`grants.ts` withholds what grants do guard; the operating
 * system's confinement stops what gets past both.)
 *
 * The engine evaluates more than the text plainly shows, so the filter reads the text the way the engine does:
 * - Names are decoded: `"fi\x6ce"(…)` and `"fi\Nle"(…)` are calls of `file`. A function is also called where its bare
 *   name stands for a lambda: `arrayMap(file, …)`, `* APPLY file`.
 * - Engines, dictionary sources, layouts and backup destinations are recognized by their position, and only reviewed
 *   ones pass (`names.ts`). Functions and table functions are recognized by their names.
 * - A string is data unless it stands where the engine evaluates it: the column list of a table function may have
 *   DEFAULT expressions, the name of an aggregate function may have parameters, and the strings of dictionaries, named
 *   collections and some settings are SQL. The filter checks such a string like a statement, and refuses it unless it
 *   is a literal: a computed string, `concat('fi', 'le(…)')`, or an alias is refused.
 */
export function refuseForbidden(sql: string, values: Iterable<string> = []): void {
  if (filterSwitch.isOff || !isSuspicious(sql)) return
  look(sql, values, false)
}

/** Checks the data of an INSERT … VALUES, whose expressions run with more rights than those of other statements. */
export function refuseForbiddenValues(data: string, values: Iterable<string> = []): void {
  if (filterSwitch.isOff || !isSuspicious(data)) return
  look(data, values, true)
}

/** Checks a text that is SQL as a whole, such as a setting's value, without the quick test for suspicious names. */
export function refuseForbiddenText(text: string): void {
  if (!filterSwitch.isOff) look(text, [], false)
}

/** Only SQL that hides something nests strings deeper than this. */
const maxDepth = 4

function look(sql: string, values: Iterable<string>, isEvaluated: boolean, depth = 0): void {
  if (depth > maxDepth) throw notAllowed('SQL in strings so deep')
  const rules = createRules({ isEvaluated, isStatement: depth === 0 && !isEvaluated, refuse })
  walk(sql, rules)
  const { texts, usesSubstitutions } = rules.end()
  for (const text of texts) look(text, [], false, depth + 1)
  if (usesSubstitutions) for (const value of values) look(value, [], false, depth + 1)
}

function refuse(what: string): never {
  throw notAllowed(what)
}

export const notAllowed = (what: string): EngineError =>
  new EngineError(
    497,
    'ACCESS_DENIED',
    `default: Not enough privileges. ${what} is not allowed in this warehouse`,
  )
