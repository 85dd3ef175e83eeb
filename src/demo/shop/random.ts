/** Numbers that look random and are the same for the same seeds, on every machine. */
export interface Random {
  /** From 0, below 1. */
  next(): number
  /** Around 0, with a standard deviation of 1. */
  normal(): number
  /** One of the values, as often as its weight says. */
  pick<T>(choices: Choices<T>): T
}

/** Values with the sums of their weights up to each. */
export interface Choices<T> {
  values: readonly T[]
  sums: readonly number[]
  total: number
}

export function createRandom(...seeds: readonly number[]): Random {
  let state = seeds.reduce((mixed, seed) => mix(mixed ^ mix(seed)), 0x9e3779b9)
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    // Box and Muller; 1 - next() is never 0.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick({ values, sums, total }) {
      const at = next() * total
      let index = 0
      while (index < values.length - 1 && (sums[index] as number) <= at) index++
      return values[index] as (typeof values)[number]
    },
  }
}

export function choices<T>(weighted: readonly (readonly [value: T, weight: number])[]): Choices<T> {
  let total = 0
  const sums = weighted.map(([, weight]) => {
    total += weight
    return total
  })
  return { values: weighted.map(([value]) => value), sums, total }
}

function mix(seed: number): number {
  let value = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}
