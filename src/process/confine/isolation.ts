/**
 * What happens where the operating system cannot confine a process: `required` = the process does not run,
 * `preferred` = it runs and reports that it is unconfined. `off` = it is never confined, for tests and
 * debugging.
 */
export const isolations = ['required', 'preferred', 'off'] as const

export type Isolation = (typeof isolations)[number]
