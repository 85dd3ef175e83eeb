import type { AvroRecord, AvroType } from './schema.ts'

/** Returns where the value ends that begins at `at`; throws when the bytes are no such value. */
export type Skip = (bytes: Buffer, at: number) => number

/**
 * Datums have no marks between them: the engine would read on in the next record from one that is cut off or of
 * another schema. So every datum is walked through before it is handed over.
 */
export function compileSkip(type: AvroType, known: Map<AvroType, Skip> = new Map()): Skip {
  const existing = known.get(type)
  if (existing !== undefined) return existing
  let compiled: Skip | undefined
  // A type that contains itself finds this function, which by then has the compiled one.
  known.set(type, (bytes, at) => (compiled as Skip)(bytes, at))
  compiled = compile(type, known)
  known.set(type, compiled)
  return compiled
}

/** Where each field of a record ends that begins at `at`, and fills the record up to the last byte. */
export function compileFieldEnds({
  fields,
}: AvroRecord): (bytes: Buffer, at: number, ends: number[]) => void {
  const known = new Map<AvroType, Skip>()
  const skips = fields.map(({ type }) => compileSkip(type, known))
  return (bytes, start, ends) => {
    let at = start
    for (let index = 0; index < skips.length; index++) {
      at = (skips[index] as Skip)(bytes, at)
      if (at > bytes.length) throw new RangeError('the record ends too early')
      ends[index] = at
    }
    if (at !== bytes.length) throw new RangeError(`${bytes.length - at} bytes follow the record`)
  }
}

function compile(type: AvroType, known: Map<AvroType, Skip>): Skip {
  switch (type.kind) {
    case 'null':
      return (_bytes, at) => at
    case 'boolean':
      return (bytes, at) => {
        if ((bytes[at] ?? 2) > 1) throw new RangeError('a boolean is neither 0 nor 1')
        return at + 1
      }
    case 'int':
    case 'long':
      return skipVarint
    case 'float':
      return (_bytes, at) => at + 4
    case 'double':
      return (_bytes, at) => at + 8
    case 'bytes':
    case 'string':
      return (bytes, at) => {
        const size = readLong(bytes, at)
        if (size < 0) throw new RangeError('a length is negative')
        return within(bytes, end + size)
      }
    case 'fixed':
      return (_bytes, at) => at + type.size
    case 'enum':
      return (bytes, at) => {
        const index = readLong(bytes, at)
        if (index < 0 || index >= type.symbols.length) throw new RangeError('an enum has an unknown symbol')
        return end
      }
    case 'union': {
      const branches = type.branches.map((branch) => compileSkip(branch, known))
      return (bytes, at) => {
        const branch = branches[readLong(bytes, at)]
        if (branch === undefined) throw new RangeError('a union has an unknown branch')
        return branch(bytes, end)
      }
    }
    case 'array':
      return compileBlocks(compileSkip(type.items, known))
    case 'map': {
      const [key, value] = [compile({ kind: 'string', logical: {} }, known), compileSkip(type.values, known)]
      return compileBlocks((bytes, at) => value(bytes, key(bytes, at)))
    }
    case 'record': {
      const skips = type.fields.map((field) => compileSkip(field.type, known))
      return (bytes, start) => {
        let at = start
        for (const skip of skips) at = within(bytes, skip(bytes, at))
        return at
      }
    }
  }
}

function compileBlocks(item: Skip): Skip {
  return (bytes, start) => {
    for (let at = start; ; ) {
      const count = readLong(bytes, at)
      at = end
      if (count === 0) return at
      if (Math.abs(count) > bytes.length) throw new RangeError('an array has more items than bytes')
      if (count < 0) at = within(bytes, skipVarint(bytes, at))
      for (let left = Math.abs(count); left > 0; left--) {
        const next = within(bytes, item(bytes, at))
        // A few bytes could stand for any number of such items, in each of many arrays.
        if (next === at) throw new RangeError('an array has items without bytes')
        at = next
      }
    }
  }
}

function within(bytes: Buffer, at: number): number {
  if (at > bytes.length) throw new RangeError('the record ends too early')
  return at
}

function skipVarint(bytes: Buffer, start: number): number {
  let at = start
  while ((bytes[at++] as number) >= 0x80) if (at - start >= 10) throw new RangeError('a number is too long')
  return at
}

/** Where the number ended that `readLong` read last. */
let end = 0

export const endOfLong = (): number => end

/** A zigzag varint. */
export function readLong(bytes: Buffer, start: number): number {
  let at = start
  let value = 0
  for (let factor = 1; ; factor *= 0x80) {
    const byte = bytes[at++]
    if (byte === undefined || at - start > 10) throw new RangeError('a number does not end')
    value += (byte & 0x7f) * factor
    if (byte < 0x80) break
  }
  end = at
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}
