import { depthStep } from '../clickhouse/lexer.ts'
import { ownValue } from '../own-value.ts'
import { type Part, type Replaced, replaced, type SqlToken, sqlTokens } from './sql-tokens.ts'
import { type Variables, valuesOf } from './variables.ts'
import { syntaxError, WhereError } from './where-error.ts'

/** The time range of the macros: milliseconds since 1970 UTC, the end exclusive, and the length of a bucket. */
export interface MacroRange {
  startMs: number
  endMs: number
  stepSeconds: number
}

/** Expands `$__timeFilter(col)` and the other macros to SQL. Variables stay; the next step replaces them. */
export function expandMacros(text: string, range: MacroRange, variables: Variables): Replaced {
  const tokens = text.includes('$__') ? sqlTokens(text) : []
  if (tokens.length === 0) return { sql: text, originalOffset: (at) => at }
  const parts: Part[] = []
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as SqlToken
    if (token.kind !== 'variable' || !token.name.startsWith('__')) {
      parts.push({ start: token.start, sql: text.slice(token.start, token.end), isCopy: true })
      continue
    }
    const value = ownValue(values, token.name)
    const call = ownValue(calls, token.name)
    if (value) parts.push({ start: token.start, sql: value(range), isCopy: false })
    else if (call) {
      const { args, next } = readArguments(text, tokens, index)
      const [first, second = first] = args
      if (!first || !second || args.length !== call.takes) {
        throw syntaxError(
          `$${token.name} takes ${call.takes} argument${call.takes > 1 ? 's' : ''}`,
          token.start,
        )
      }
      parts.push({ start: token.start, sql: call.write(range, variables, first, second), isCopy: false })
      index = next
    } else throw new WhereError('not_found', `no macro $${token.name}`, token.start, [])
  }
  return replaced(parts)
}

interface Argument {
  sql: string
  start: number
}

const values: Partial<Record<string, (range: MacroRange) => string>> = {
  __fromTime: ({ startMs }) => seconds(startMs),
  __toTime: ({ endMs }) => seconds(endMs),
  __fromTime_ms: ({ startMs }) => millis(startMs),
  __toTime_ms: ({ endMs }) => millis(endMs),
  __interval_s: ({ stepSeconds }) => String(stepSeconds),
}

interface Call {
  takes: 1 | 2
  write(range: MacroRange, variables: Variables, first: Argument, second: Argument): string
}

const within: Call = {
  takes: 1,
  write: ({ startMs, endMs }, _, { sql }) =>
    `((${sql}) >= ${millis(startMs)} AND (${sql}) < ${millis(endMs)})`,
}

const calls: Partial<Record<string, Call>> = {
  __timeFilter: within,
  __timeFilter_ms: within,
  __dateFilter: {
    takes: 1,
    write: ({ startMs, endMs }, _, { sql }) =>
      `((${sql}) >= ${day(startMs)} AND (${sql}) <= ${day(endMs - 1)})`,
  },
  __timeInterval: {
    takes: 1,
    write: ({ stepSeconds }, _, { sql }) =>
      `toDateTime(intDiv(toUnixTimestamp(${sql}), ${stepSeconds}) * ${stepSeconds}, 'UTC')`,
  },
  __timeInterval_ms: {
    takes: 1,
    write: ({ stepSeconds }, _, { sql }) => {
      const ticks = `toUnixTimestamp64Milli(toDateTime64(${sql}, 3))`
      return `fromUnixTimestamp64Milli(${ticks} - positiveModulo(${ticks}, ${stepSeconds * 1000}), 'UTC')`
    },
  },
  __conditionalAll: {
    takes: 2,
    write(_, variables, condition, variable) {
      const name = /^\$(?:(\w+)|\{(\w+)\})$/.exec(variable.sql)
      if (!name) throw syntaxError('a variable is missing in $__conditionalAll', variable.start)
      const found = valuesOf(variables, name[1] ?? name[2] ?? '', variable.start)
      return found === null || found.every((text) => text === '') ? 'true' : `(${condition.sql})`
    },
  },
}

const seconds = (ms: number): string => `toDateTime(${Math.floor(ms / 1000)}, 'UTC')`
const millis = (ms: number): string => `fromUnixTimestamp64Milli(${ms}, 'UTC')`
const day = (ms: number): string => `toDate('${new Date(ms).toISOString().slice(0, 10)}')`

/** The arguments of a call, without surrounding spaces and comments; `next` is the closing bracket. */
function readArguments(
  text: string,
  tokens: readonly SqlToken[],
  macro: number,
): { args: Argument[]; next: number } {
  const { end, name } = tokens[macro] as SqlToken
  let depth = 0
  let first: SqlToken | null = null
  let last: SqlToken | null = null
  const args: Argument[] = []
  const close = (): void => {
    if (first && last) args.push({ sql: text.slice(first.start, last.end), start: first.start })
    first = null
  }
  for (let index = macro + 1; index < tokens.length; index++) {
    const token = tokens[index] as SqlToken
    if (token.kind === 'space' || token.kind === 'comment') continue
    const step = token.kind === 'punctuation' ? depthStep(text.charCodeAt(token.start)) : 0
    if (depth === 0 && text[token.start] !== '(') break
    depth += step
    if (depth === 0) {
      close()
      return { args, next: index }
    }
    if (depth === 1 && text[token.start] === ',' && token.kind === 'punctuation') close()
    else if (depth > 1 || step === 0 || first) {
      first ??= token
      last = token
    }
  }
  throw syntaxError(`the brackets of $${name} are missing`, end)
}
