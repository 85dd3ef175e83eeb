/** The parameters of a pattern: `/services/:serviceId` has `serviceId`. */
export type PathParams<Pattern extends string> = {
  [Name in NamesOf<Pattern>]: string
}

type NamesOf<Pattern extends string> = Pattern extends `${infer Head}/${infer Tail}`
  ? NamesOf<Head> | NamesOf<Tail>
  : Pattern extends `:${infer Name}`
    ? Name
    : never

/** The parameters of a path that fits the pattern; null = it does not fit. A trailing slash is ignored. */
export function matchPath<Pattern extends string>(
  pattern: Pattern,
  path: string,
): PathParams<Pattern> | null {
  const wanted = partsOf(pattern)
  const given = partsOf(path)
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [i, want] of wanted.entries()) {
    const part = given[i] ?? ''
    if (want.startsWith(':')) {
      const value = decoded(part)
      if (value === null) return null
      params[want.slice(1)] = value
    } else if (want !== part) return null
  }
  return params as PathParams<Pattern>
}

/** A path of the pattern with its parameters filled in. */
export function fillPattern<Pattern extends string>(pattern: Pattern, params: PathParams<Pattern>): string {
  const values: Record<string, string> = params
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
