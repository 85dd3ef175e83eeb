import { type Option, options } from './options.ts'

export type Config = Readonly<{
  [K in keyof typeof options]: (typeof options)[K] extends Option<infer T> ? T : never
}>

/** Reads all options at once and reports every wrong one, not just the first. */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = []
  const entries = Object.entries(options).map(([name, option]) => {
    const text = environment[option.env]
    try {
      return [
        name,
        (option as Option<unknown>).parse(text === undefined || text === '' ? option.fallback : text),
      ]
    } catch (error) {
      problems.push(`${option.env}: ${(error as Error).message}`)
      return [name, undefined]
    }
  })
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(Object.fromEntries(entries) as Config)
}

export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`the configuration is wrong: ${problems.join('; ')}`)
    this.problems = problems
  }
}

/** The options as `--help` shows them. */
export function describeOptions(): string {
  return Object.values(options)
    .map(
      ({ env, fallback, prose }) =>
        `  ${env}\n      ${prose}${fallback === '' ? '' : ` Default: ${fallback}`}`,
    )
    .join('\n')
}
