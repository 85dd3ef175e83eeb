/** A lane of a pipe, as the interface shows it. */
export function viewLane(
  lane: { name: string; position: string | null; updatedAtMs: number | null },
  /** What its worker knows; undefined = no worker reads it here. */
  live: LiveLane | undefined,
) {
  const { name, position, updatedAtMs } = lane
  return {
    name,
    position: position === null ? null : shownPosition(position),
    end: live?.end ?? null,
    behindRecords: live?.behindRecords ?? null,
    worker: live?.worker ?? null,
    updatedAt: updatedAtMs === null ? null : new Date(updatedAtMs).toISOString(),
  }
}

/** A lane that a worker reads now. */
export interface LiveLane {
  name: string
  /** The worker's number, from 0. */
  worker: number
  /** Where the source ends; null = the source does not tell. */
  end: string | null
  behindRecords: number | null
}

const mostCharacters = 1_000

/** Without what only the pipe itself needs: the identity of a topic or stream, and the names that are still missing. */
function shownPosition(position: string): string {
  const [, place] = /^(\w+(?:#\d+)?)@\w+$/.exec(position) ?? []
  return (place ?? throughOf(position) ?? position).slice(0, mostCharacters)
}

/** The last name of a batch of objects. */
function throughOf(position: string): string | undefined {
  if (!position.startsWith('{')) return undefined
  try {
    const { through } = JSON.parse(position) as { through?: unknown }
    return typeof through === 'string' ? through : undefined
  } catch {
    return undefined
  }
}
