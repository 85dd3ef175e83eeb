/** `1 service`, `3 services`, `2 replicas`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `a, b and c`. */
export function listed(items: readonly string[]): string {
  if (items.length < 2) return items[0] ?? ''
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

/** The server's reason with its first letter raised, as the head of a page shows it; otherwise unchanged. */
export function raised(text: string): string {
  return text === '' ? '' : text.charAt(0).toUpperCase() + text.slice(1)
}

/** `…k4Q7`: enough of an id to tell it apart. */
export const idTail = (id: string): string => `…${id.slice(-4)}`
