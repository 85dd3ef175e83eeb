import type { AggFn } from '../../domain/dashboard/types.ts'
import type { Value } from './value.ts'
import { numberOf } from './value.ts'

/**
 * An aggregate of the engine that can be computed in one step, or as states that are merged later. All of them
 * give their empty value for no row, without help.
 */
export interface Aggregate {
  /** The function without its suffixes, for example `avgOrNull`. */
  name: string
  /** `(0.9)` of a quantile, else ''. */
  parameters: string
  args: readonly string[]
  /** Only rows for which this is true; '' = all rows. */
  condition: string
  /** Turns the function's result into the value of the series. */
  finish(result: string): string
  /** The value where the series has no row. */
  empty: 0 | null
  /** The value may be infinite or no number. */
  isFloat: boolean
  /** Texts have no rank of their own. */
  isText: boolean
}

export interface AggregateOptions {
  aggFn: AggFn
  /** Null = the series has no field. */
  value: Value | null
  /** Of `quantile`. */
  level: number | undefined
  /** The time column. */
  time: string
  /** Of a bucket, or of the whole range where there are no buckets. */
  seconds: number
  /** True where the field of `count` exists. */
  exists: string
}

/** `missing`: the aggregate needs a field; `level`: it needs a level; `number`: the field holds no numbers. */
export type AggregateProblem = 'missing' | 'level' | 'number' | 'metric'

export function aggregateOf(options: AggregateOptions): Aggregate | AggregateProblem {
  const { aggFn, value, seconds, time, exists } = options
  const count = (divisor: number): Aggregate => ({
    ...plain('count', []),
    condition: exists,
    finish: per(divisor),
    isFloat: divisor !== 1,
  })
  switch (aggFn) {
    case 'count':
      return count(1)
    case 'count_per_sec':
      return count(seconds)
    case 'count_per_min':
      return count(seconds / 60)
    case 'count_per_hour':
      return count(seconds / 3600)
    case 'none':
    case 'increase':
      return 'metric'
  }
  if (value === null) return 'missing'
  switch (aggFn) {
    case 'count_distinct':
      return plain('uniqExact', [value.sql])
    case 'any':
      return { ...plain('anyOrNull', []), ...one(value, []) }
    case 'last_value':
      return { ...plain('argMaxOrNull', []), ...one(value, [time]) }
    case 'min':
    case 'max': {
      const isDate = value.type.kind === 'date' || value.type.kind === 'time'
      const ordered = isDate ? value : numberOf(value)
      if (ordered === null) return 'number'
      return {
        ...plain(`${aggFn}OrNull`, [ordered.sql]),
        empty: null,
        isFloat: ordered.type.kind === 'float',
      }
    }
  }
  const number = numberOf(value)
  if (number === null) return 'number'
  const isFloat = number.type.kind === 'float'
  switch (aggFn) {
    case 'sum':
    case 'sum_rate': {
      const divisor = aggFn === 'sum' ? 1 : seconds
      const finish = (x: string): string => per(divisor)(`ifNull(${x}, 0)`)
      return {
        ...plain('sum', [summable(number)]),
        finish,
        isFloat: isFloat || isHuge(number) || divisor !== 1,
      }
    }
    case 'avg':
      return { ...plain('avgOrNull', [summable(number)]), empty: null, isFloat: true }
    default: {
      const level = levels[aggFn] ?? options.level
      if (level === undefined) return 'level'
      // The engine does not interpolate between decimals.
      const sql = number.type.kind === 'decimal' ? `toFloat64(${number.sql})` : number.sql
      return { ...plain('quantileOrNull', [sql]), parameters: `(${level})`, empty: null, isFloat: true }
    }
  }
}

const levels: Partial<Record<AggFn, number>> = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99 }

export const plain = (name: string, args: readonly string[]): Aggregate => ({
  ...{ name, args, parameters: '', condition: '', finish: same },
  ...{ empty: 0, isFloat: false, isText: false },
})

const same = (x: string): string => x
const per =
  (divisor: number) =>
  (x: string): string =>
    divisor === 1 ? x : `${x} / ${divisor}`

/** A sum of integers, which an average needs too, may need more bits than they have; the engine would lose them. */
function summable({ sql, type }: Value): string {
  const wider = type.kind === 'integer' ? widerTypes[type.bits] : undefined
  return wider === undefined ? sql : `to${wider}(${sql})`
}

const isHuge = ({ type }: Value): boolean => type.kind === 'integer' && type.bits === 256

const widerTypes: Partial<Record<number, string>> = { 64: 'Int128', 128: 'Int256', 256: 'Float64' }

/** One value of many. An array or map cannot be NULL, but a tuple that holds it can. */
function one(value: Value, more: readonly string[]): Pick<Aggregate, 'args' | 'finish' | 'empty' | 'isText'> {
  const isHeld = value.type.kind === 'array' || value.type.kind === 'map'
  const finish = (x: string): string =>
    `if(isNull(${x}), NULL, toJSONString(tupleElement(assumeNotNull(${x}), 1)))`
  return {
    args: [isHeld ? `tuple(${value.sql})` : value.sql, ...more],
    finish: isHeld ? finish : same,
    ...{ empty: null, isText: isTextual(value) },
  }
}

const isTextual = ({ type }: Value): boolean =>
  !['integer', 'float', 'decimal', 'bool', 'date', 'time'].includes(type.kind)

/** The call of an aggregate: `avgOrNullIf(x, condition)`. */
export const callOf = (aggregate: Aggregate, condition: string): string => call(aggregate, condition, '')

/** The call that gives a state, to be merged by `mergeOf`. */
export const stateOf = (aggregate: Aggregate, condition: string): string =>
  call(aggregate, condition, 'State')

export function mergeOf(aggregate: Aggregate, condition: string, state: string): string {
  const suffix = conditionsOf(aggregate, condition).length > 0 ? 'IfMerge' : 'Merge'
  return `${aggregate.name}${suffix}${aggregate.parameters}(${state})`
}

function call(aggregate: Aggregate, condition: string, ending: string): string {
  const conditions = conditionsOf(aggregate, condition)
  const args = [...aggregate.args, ...(conditions.length > 0 ? [conditions.join(' AND ')] : [])]
  return `${aggregate.name}${conditions.length > 0 ? 'If' : ''}${ending}${aggregate.parameters}(${args.join(', ')})`
}

const conditionsOf = (aggregate: Aggregate, condition: string): string[] =>
  [condition, aggregate.condition].filter((part) => part !== '')
