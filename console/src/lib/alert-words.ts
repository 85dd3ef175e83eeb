/** What an alert compares, in words. */
export const thresholdWords: Record<string, string> = {
  above: 'at least',
  above_exclusive: 'above',
  below: 'below',
  below_or_equal: 'at most',
  equal: 'equal to',
  not_equal: 'not equal to',
  between: 'between',
  not_between: 'outside of',
}

export const hasUpperBound = (type: string): boolean => type === 'between' || type === 'not_between'

interface Threshold {
  thresholdType: string
  threshold: number | null
  thresholdMax?: number | null | undefined
}

/** `at least 100`, `between 1 and 5`. */
export function conditionWords(alert: Threshold, write: (value: number) => string = String): string {
  const { thresholdType, threshold, thresholdMax = null } = alert
  const value = (one: number | null) => (one === null ? '?' : write(one))
  const upper = hasUpperBound(thresholdType) ? ` and ${value(thresholdMax)}` : ''
  return `${thresholdWords[thresholdType] ?? thresholdType} ${value(threshold)}${upper}`
}

/** `5 min`, `1 day`: how often an alert asks. */
export const intervalWords = (interval: string): string =>
  interval
    .replace(/^(\d+)m$/, '$1 min')
    .replace(/^(\d+)h$/, '$1 h')
    .replace(/^1d$/, '1 day')

/** Whether a tile of the type has a number that an alert can watch. */
export const isWatchable = (type: string | undefined): boolean =>
  ['time', 'number', 'table'].includes(type ?? 'time')
