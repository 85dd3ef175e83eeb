import type { Cell } from '../layout.ts'

const styles: Record<string, 'green' | 'yellow' | 'red' | 'dim'> = {
  running: 'green',
  snapshot: 'green',
  completed: 'green',
  done: 'green',
  good: 'green',
  enabled: 'green',
  idle: 'dim',
  none: 'dim',
  stopped: 'dim',
  paused: 'dim',
  disabled: 'dim',
  degraded: 'red',
  damaged: 'red',
  failed: 'red',
  error: 'red',
}

/** A state of any resource, coloured as good, bad, at rest, or in transition. */
export const stateCell = (state: string, text: string = state): Cell => ({
  text,
  style: styles[state.toLowerCase()] ?? 'yellow',
})

/** A state with its reason. */
export const explained = (state: string, reason: string): Cell =>
  stateCell(state, reason ? `${state}: ${reason}` : state)

export const yesNo = (value: boolean): string => (value ? 'yes' : 'no')

export const deletedLine = (noun: string, { name, id }: { name: string; id: string }): string =>
  `${noun} ${name} (${id}) is deleted`

/** Shown with a secret that no later answer will hold. */
export const onlyOnce = 'Keep it now: this is the only time that it is shown.'
