import type { BackupRecord } from './types.ts'

type Progress = Pick<BackupRecord['progress'], 'bytes' | 'totalBytes'> & Partial<BackupRecord['progress']>

/** `reading it back: 43 % (1.2 GB of 2.8 GB)`. Coarse on purpose, because the text is also stored. */
export function describeProgress(doing: string, { bytes, totalBytes }: Progress): string {
  if (totalBytes <= 0) return bytes > 0 ? `${doing}: ${size(bytes)} so far` : doing
  const percent = Math.min(100, Math.floor((100 * bytes) / totalBytes))
  return `${doing}: ${percent} % (${size(Math.min(bytes, totalBytes))} of ${size(totalBytes)})`
}

const units = ['kB', 'MB', 'GB', 'TB', 'PB'] as const

function size(bytes: number): string {
  let value = bytes / 1000
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
