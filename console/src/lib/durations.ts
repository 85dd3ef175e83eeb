const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1000 },
] as const

/** `2 min 41 s`, `3 h 5 min`, `0.8 s`, `84 ms`: the two largest units, and tenths below ten seconds. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–'
  if (ms < 100) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${Number((ms / 1000).toFixed(1))} s`
  const whole = Math.round(ms / 1000) * 1000
  const at = units.findIndex((unit) => whole >= unit.ms)
  const large = units[at]
  if (!large) return '0 s'
  const first = `${Math.floor(whole / large.ms)} ${large.name}`
  const small = units[at + 1]
  const rest = small ? Math.floor((whole % large.ms) / small.ms) : 0
  return small && rest > 0 ? `${first} ${rest} ${small.name}` : first
}
