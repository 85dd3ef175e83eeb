/**
 * What happens where the operating system cannot confine a process: `required` = it does not run, `preferred` = it
 * runs and says so. `off` = it is not confined, for tests and debugging.
 */
export const isolations = ['required', 'preferred', 'off'] as const

export type Isolation = (typeof isolations)[number]
