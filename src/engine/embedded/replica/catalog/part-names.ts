/** `<partition>_<first block>_<last block>_<level>[_<mutation>]`; a patch's partition has no `_` either. */
interface PartName {
  partition: string
  firstBlock: number
  lastBlock: number
  level: number
  mutation: number
}

/**
 * The loaded parts of a table that were dropped: they are neither on the disk nor covered by a part that is. A merged or
 * mutated part lies inside the block range of the newer part that replaces it.
 */
export function droppedParts(loaded: Iterable<string>, onDisk: Iterable<string>): string[] {
  const present = new Set<string>()
  const byPartition = new Map<string, PartName[]>()
  for (const name of onDisk) {
    const part = parse(name)
    if (part === null) continue
    present.add(name)
    const others = byPartition.get(part.partition)
    if (others) others.push(part)
    else byPartition.set(part.partition, [part])
  }
  return [...loaded].filter((name) => {
    if (present.has(name)) return false
    const part = parse(name)
    return part === null || !byPartition.get(part.partition)?.some((other) => covers(other, part))
  })
}

const covers = (a: PartName, b: PartName): boolean =>
  a.firstBlock <= b.firstBlock && a.lastBlock >= b.lastBlock && a.level >= b.level && a.mutation >= b.mutation

function parse(name: string): PartName | null {
  const [, partition, first, last, level, mutation] =
    /^([^_]+)_(\d+)_(\d+)_(\d+)(?:_(\d+))?$/.exec(name) ?? []
  if (partition === undefined) return null
  return {
    partition,
    firstBlock: Number(first),
    lastBlock: Number(last),
    level: Number(level),
    mutation: Number(mutation ?? 0),
  }
}
