import { EngineError } from '../engine-error.ts'
import { filterSwitch } from './filter-switch.ts'
import { createRules } from './rules.ts'
import { isSuspicious } from './suspicious.ts'
import { walk } from './walk.ts'

/**
 * Refuses SQL that would reach the files or programs of this machine, or the data of others, in ways that the engine,
 * being a library here, does not guard by grants. (What grants guard, `engine-config.ts` does not grant. What gets
 * past both, the operating system stops.)
 *
 * The engine evaluates more than it is told plainly, so the text is looked at as the engine reads it:
 * - Names are decoded: `"fi\x6ce"(…)` and `"fi\Nle"(…)` are calls of `file`. A function is also called where its bare
 *   name stands for a lambda: `arrayMap(file, …)`, `* APPLY file`.
 * - Engines, dictionary sources, layouts and places of backups are known by where they stand, and only those are let
 *   through that somebody has reviewed (`names.ts`). Functions and table functions are known by their names.
 * - A string is data, whatever it says, unless it stands where the engine evaluates it: the list of columns of a table
 *   function may have DEFAULT expressions, the name of an aggregate function parameters, and the strings of
 *   dictionaries, named collections and some settings are SQL. There a string is looked through like a statement, and
 *   must be written down: what is computed, `concat('fi', 'le(…)')`, or comes by an alias, is refused.
 */
export function refuseForbidden(sql: string, values: Iterable<string> = []): void {
  if (filterSwitch.isOff || !isSuspicious(sql)) return
  look(sql, values, false)
}

/** Of the data of an INSERT … VALUES, whose expressions are evaluated with more rights than those of other statements. */
export function refuseForbiddenValues(data: string, values: Iterable<string> = []): void {
  if (filterSwitch.isOff || !isSuspicious(data)) return
  look(data, values, true)
}

/** A text of SQL in itself, as the value of a setting; anything else than most data is looked at. */
export function refuseForbiddenText(text: string): void {
  if (!filterSwitch.isOff) look(text, [], false)
}

/** Strings within strings within strings: nobody writes these but to hide something. */
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
