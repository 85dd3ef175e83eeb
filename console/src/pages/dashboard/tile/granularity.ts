import { unitMs } from '../../../lib/range-ends.ts'

/** `5m` in milliseconds. */
export function stepOf(granularity: string | undefined): number | undefined {
  const found = /^(\d+)([smhd])$/.exec(granularity ?? '')
  return found ? Number(found[1]) * (unitMs[found[2] ?? ''] ?? 0) : undefined
}

/** `5 min`, as tiles say it. */
export function stepName(granularity: string): string {
  return granularity.replace(/^(\d+)m$/, '$1 min').replace(/^(\d+)([shd])$/, '$1 $2')
}
