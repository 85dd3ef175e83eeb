/** The messages of the plugin pgoutput, protocols 1 and 2. Tuples are places in the message, not copies. */

export const messages = {
  ...{ begin: 0x42, commit: 0x43, relation: 0x52, insert: 0x49, update: 0x55, delete: 0x44, truncate: 0x54 },
  ...{ streamStart: 0x53, streamStop: 0x45, streamCommit: 0x63, streamAbort: 0x41 },
} as const

/** The fields of a row: where each begins and ends in the message. */
export interface Tuple {
  count: number
  /** -1 = NULL, -2 = a value that is stored elsewhere and did not change. */
  starts: Int32Array
  ends: Int32Array
}

export const isNull = -1
export const isUnchanged = -2

export interface Relation {
  oid: number
  schema: string
  name: string
  columns: { name: string; type: number; modifier: number; isKey: boolean }[]
}

export const createTuple = (): Tuple => ({ count: 0, starts: new Int32Array(64), ends: new Int32Array(64) })

/** Returns the place after the tuple. */
export function readTuple(message: Buffer, at: number, tuple: Tuple): number {
  const count = message.readUInt16BE(at)
  if (count > tuple.starts.length) {
    tuple.starts = new Int32Array(2 * count)
    tuple.ends = new Int32Array(2 * count)
  }
  tuple.count = count
  let place = at + 2
  for (let index = 0; index < count; index++) {
    const kind = message[place++]
    if (kind === 0x6e) tuple.starts[index] = isNull
    else if (kind === 0x75) tuple.starts[index] = isUnchanged
    else {
      const length = message.readUInt32BE(place)
      tuple.starts[index] = place + 4
      place += 4 + length
      tuple.ends[index] = place
    }
  }
  return place
}

export interface Change {
  kind: 'insert' | 'update' | 'delete'
  oid: number
  /** Which old values there are: those of the key, all, or none. */
  old: 'key' | 'all' | 'none'
}

const change: Change = { kind: 'insert', oid: 0, old: 'none' }

/** Reads a change whose relation's id is at `at`. The result is valid until the next call. */
export function readChange(
  message: Buffer,
  code: number,
  at: number,
  oldTuple: Tuple,
  newTuple: Tuple,
): Change {
  change.oid = message.readUInt32BE(at)
  change.old = 'none'
  let place = at + 4
  const mark = message[place]
  if (mark === 0x4b || mark === 0x4f) {
    change.old = mark === 0x4b ? 'key' : 'all'
    place = readTuple(message, place + 1, oldTuple)
  }
  change.kind = code === messages.insert ? 'insert' : code === messages.update ? 'update' : 'delete'
  if (change.kind !== 'delete') readTuple(message, place + 1, newTuple)
  return change
}

export function readRelation(message: Buffer, at: number): Relation {
  const oid = message.readUInt32BE(at)
  let place = at + 4
  const text = (): string => {
    const end = message.indexOf(0, place)
    const value = message.toString('utf8', place, end)
    place = end + 1
    return value
  }
  const [schema, name] = [text(), text()]
  const count = message.readUInt16BE(place + 1)
  place += 3
  const columns = Array.from({ length: count }, () => {
    const isKey = message[place++] === 1
    const column = text()
    const [type, modifier] = [message.readUInt32BE(place), message.readInt32BE(place + 4)]
    place += 8
    return { name: column, type, modifier, isKey }
  })
  return { oid, schema: schema || 'pg_catalog', name, columns }
}

export function readTruncate(message: Buffer, at: number): number[] {
  const count = message.readUInt32BE(at)
  return Array.from({ length: count }, (_, index) => message.readUInt32BE(at + 5 + 4 * index))
}
