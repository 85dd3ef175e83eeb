/** Values of a view in its address. Several values are one text: each escaped, commas between. `*` = every value. */
import type { Variable, VariableValues } from './dashboard-types.ts'

export const joinList = (values: readonly string[]): string => values.map(encodeURIComponent).join(',')

export function splitList(text: string): string[] {
  if (text === '') return []
  return text.split(',').map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
}

/** What each variable stands for: the address, else its default, else every value. */
export function variablesOf(variables: readonly Variable[], query: URLSearchParams): VariableValues {
  return Object.fromEntries(variables.map((one) => [one.name, chosenOf(one, query.get(`v.${one.name}`))]))
}

function chosenOf(variable: Variable, text: string | null): string | string[] | null {
  if (text === null) return variable.default ?? null
  if (text === '*') return null
  return variable.multi ? splitList(text) : text
}
