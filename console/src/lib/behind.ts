import type { Result } from '../api/operations.ts'
import { formatDuration } from './durations.ts'
import { formatCount } from './numbers.ts'

/** How far a pipe is behind its source, as far as the source tells. */
export function behindOf(stats: Result<'pipes.get'>['stats']): string {
  if (!stats) return '–'
  if (stats.lagMs !== null) return stats.lagMs < 1000 ? 'nothing' : formatDuration(stats.lagMs)
  if (stats.lagRecords !== null)
    return stats.lagRecords === 0 ? 'nothing' : `${formatCount(stats.lagRecords)} records`
  return '–'
}

/** `0.8 s behind`, `not behind`; '' = the source does not tell. */
export function behindText(stats: Result<'pipes.get'>['stats']): string {
  const behind = behindOf(stats)
  if (behind === '–') return ''
  return behind === 'nothing' ? 'not behind' : `${behind} behind`
}
