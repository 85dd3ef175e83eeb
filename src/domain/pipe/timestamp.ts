const pattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|([+-])(\d{2}):?(\d{2}))?$/

/**
 * Milliseconds since 1970 of `YYYY-MM-DDTHH:MM` or a full ISO 8601 time; without a zone it is UTC. Undefined
 * when the text has another form, or names a day or an hour that does not exist.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const part = (index: number): number => Number(match[index] ?? 0)
  const [year, month, day] = [part(1), part(2), part(3)]
  const [hour, minute, second] = [part(4), part(5), part(6)]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  // Date turns 31 February into a day of March: a date that comes back changed does not exist.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const [zoneHours, zoneMinutes] = [part(10), part(11)]
  if (zoneHours > 23 || zoneMinutes > 59) return undefined
  const zoneMs = (zoneHours * 60 + zoneMinutes) * 60_000 * (match[9] === '-' ? -1 : 1)
  const fractionMs = Math.floor(Number(`0.${match[7] ?? 0}`) * 1000)
  return date.setUTCHours(hour, minute, second, fractionMs) - zoneMs
}
