export interface Range {
  from: number
  to: number
}

/**
 * Reads the records of a range without inserting them. Resolves with the ordinals of those that cannot be read, counted
 * within the range, or with the reason why that is not clear: then a single record is at fault itself.
 */
export type ProbeRange = (range: Range) => Promise<readonly number[] | string>

/** So many probes take a minute or two, and find 800 bad records among 100,000. */
const maxProbes = 15_000
/** Where the first 500 records are all bad, the others are too. */
const maxHopeless = 1_000
const tooMany = 'among records of which too many cannot be read to tell them apart'

/**
 * Finds the records that cannot be read by halving ranges, where the engine cannot tell them apart: a broken record may
 * hide the next one, and binary formats have no next line. Resolves with ordinals and reasons, '' = unknown, ascending.
 */
export async function findRejects(records: number, probe: ProbeRange): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  const waiting: Range[] = halves({ from: 0, to: records })
  let isHopeless = true
  for (let probes = 0; ; probes++) {
    const range = waiting.pop()
    if (range === undefined) break
    const { from, to } = range
    if (probes >= (isHopeless ? maxHopeless : maxProbes)) {
      for (let ordinal = from; ordinal < to; ordinal++) found.set(ordinal, tooMany)
      continue
    }
    const outcome = await probe(range)
    if (typeof outcome !== 'string') {
      for (const ordinal of outcome) found.set(from + ordinal, '')
      isHopeless &&= outcome.length === to - from
    } else if (to - from === 1) found.set(from, outcome)
    else waiting.push(...halves(range))
  }
  return new Map([...found].sort(([one], [other]) => one - other))
}

/** The ranges between these ordinals. */
export function* rangesWithout(ordinals: Iterable<number>, records: number): Generator<Range> {
  let from = 0
  for (const ordinal of ordinals) {
    if (ordinal > from) yield { from, to: ordinal }
    from = ordinal + 1
  }
  if (from < records) yield { from, to: records }
}

/** The later half first: the list is worked off from its end. */
function halves({ from, to }: Range): Range[] {
  if (to - from <= 1) return [{ from, to }]
  const middle = from + Math.ceil((to - from) / 2)
  return [
    { from: middle, to },
    { from, to: middle },
  ]
}
