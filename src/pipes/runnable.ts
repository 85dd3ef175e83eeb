import type { PipeSource } from '../domain/pipe/types.ts'

const runnable: readonly (keyof PipeSource)[] = ['kafka', 'objectStorage', 'kinesis', 'postgres']

/** Why pipes from this source do not run; '' = they do. */
export function notRunnable(source: PipeSource): string {
  const kind = Object.keys(source)[0] ?? ''
  return runnable.some((each) => each === kind) ? '' : `this version does not run pipes from ${kind} yet`
}
