import {
  type AlertSettings,
  type AlertState,
  type AlertStatus,
  alertLimits,
  type GroupValue,
} from './types.ts'

/** What was asked, as numbers: one row without groups, else one for each. */
export interface Measured {
  group: (string | null)[]
  value: number | null
}

export interface Judged {
  state: AlertState
  breaches: number
  /** The value that decided; null = there is none. */
  value: number | null
  /** Those beyond the threshold; empty where the tile has no groups. */
  groups: GroupValue[]
}

/** One group beyond the threshold suffices; breaches in a row make an alert. */
export function judge(
  settings: Pick<AlertSettings, 'threshold' | 'thresholdType' | 'thresholdMax' | 'numConsecutiveWindows'>,
  status: Pick<AlertStatus, 'breaches' | 'state'>,
  rows: readonly Measured[],
): Judged {
  const known = rows.filter((row): row is GroupValue => row.value !== null)
  if (known.length === 0) return { state: 'INSUFFICIENT_DATA', breaches: 0, value: null, groups: [] }
  const beyond = known.filter(({ value }) => isBeyond(settings, value))
  const value = decisive(settings.thresholdType, beyond.length > 0 ? beyond : known)
  if (beyond.length === 0) return { state: 'OK', breaches: 0, value, groups: [] }
  const breaches = status.breaches + 1
  const isAlert = status.state === 'ALERT' || breaches >= settings.numConsecutiveWindows
  const groups = beyond.filter(({ group }) => group.length > 0).slice(0, alertLimits.groups)
  return { state: isAlert ? 'ALERT' : 'PENDING', breaches, value, groups }
}

function isBeyond(
  {
    threshold,
    thresholdType,
    thresholdMax = threshold,
  }: Pick<AlertSettings, 'threshold' | 'thresholdType' | 'thresholdMax'>,
  value: number,
): boolean {
  switch (thresholdType) {
    case 'above':
      return value >= threshold
    case 'above_exclusive':
      return value > threshold
    case 'below':
      return value < threshold
    case 'below_or_equal':
      return value <= threshold
    case 'equal':
      return value === threshold
    case 'not_equal':
      return value !== threshold
    case 'between':
      return value >= threshold && value <= thresholdMax
    case 'not_between':
      return value < threshold || value > thresholdMax
  }
}

/** The furthest in the direction of the threshold; where it has none, the first. */
function decisive(type: AlertSettings['thresholdType'], rows: readonly GroupValue[]): number {
  const values = rows.map(({ value }) => value)
  if (type.startsWith('above')) return values.reduce((one, other) => Math.max(one, other))
  if (type.startsWith('below')) return values.reduce((one, other) => Math.min(one, other))
  return values[0] ?? 0
}
