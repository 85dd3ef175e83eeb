/** The statements that ran last, in this browser. Statements that name passwords and keys are not kept. */
import { signal } from '@preact/signals'
import { stored } from '../../lib/stored.ts'

export interface PastStatement {
  serviceId: string
  text: string
  /** `432 rows in 84 ms`, or what failed. */
  outcome: string
  isFailed: boolean
  at: number
}

const most = 50
const mostLetters = 20_000
const kept = stored<string>('sql-history', '[]')

export const history = signal<readonly PastStatement[]>(parsed(kept.value))

export function remember(past: PastStatement): void {
  if (/identified|password|secret|access_key|credentials/i.test(past.text) || past.text.length > mostLetters)
    return
  const others = history.value.filter(
    ({ text, serviceId }) => text !== past.text || serviceId !== past.serviceId,
  )
  history.value = [past, ...others].slice(0, most)
  kept.value = JSON.stringify(history.value)
}

function parsed(text: string): PastStatement[] {
  try {
    return (JSON.parse(text) as PastStatement[]).filter((one) => typeof one.text === 'string')
  } catch {
    return []
  }
}
