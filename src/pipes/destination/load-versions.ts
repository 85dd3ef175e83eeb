import { DestinationError } from '../destination.ts'
import type { SourceObject } from '../source.ts'
import { type BadObject, type Loading, load, missing, reasonOfObject } from './load-objects.ts'

/** An object that is written on and on is given up. */
const maxLoads = 3

/**
 * Loads whole versions of objects: the engine reads an object by several requests, so one that is written meanwhile may
 * come half old, half new. What was loaded counts when the versions are the same after it as before. A version that is
 * not the listed one is loaded in its place, unless a queue tells of it too: then it comes by its own message.
 */
export async function loadVersions(
  parts: Loading,
  listed: readonly SourceObject[],
  signal: AbortSignal,
): Promise<BadObject[]> {
  const replaced: BadObject[] = []
  let wanted = listed
  for (let loads = 1; ; loads++) {
    const bad = await load(parts, wanted, signal)
    const gone = new Set(bad.filter(({ reason }) => missing.test(reason)).map(({ key }) => key))
    const there = wanted.filter(({ key, etag }) => etag !== '' && !gone.has(key))
    const now = await versionsOf(parts, there, signal).catch(reasonOfObject)
    const isLast = loads >= maxLoads
    // An object went away after the load, which the next load tells.
    if (typeof now === 'string' && !isLast) continue
    if (typeof now === 'string') throw new DestinationError('retry', now)
    const isChanged = ({ key, etag }: SourceObject) => (now.get(key)?.etag ?? etag) !== etag
    const changed = there.filter(isChanged)
    if (changed.length === 0) return [...bad, ...replaced]
    if (parts.objects.isQueued || isLast) {
      const reason = parts.objects.isQueued ? replacedText : restlessText
      replaced.push(...changed.map(({ key, bytes }) => ({ key, bytes, code: 'unreadable', reason })))
      wanted = wanted.filter((object) => !changed.includes(object))
    } else wanted = wanted.map((object) => ({ ...object, ...now.get(object.key) }))
  }
}

const replacedText =
  'the object was written again before it was read; the newer version has a message of its own'
const restlessText = 'the object was written again each time that it was read'

/** What the store has now, by key. */
async function versionsOf(
  { questions, objects }: Pick<Loading, 'questions' | 'objects'>,
  some: readonly SourceObject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Pick<SourceObject, 'etag' | 'bytes'>>> {
  if (some.length === 0) return new Map()
  const { reading, endpoints } = await objects.reading(some, 'One')
  const { settings } = reading
  const found = await questions.rows<{ key: string; etag: string; bytes: string }>(
    `SELECT ${reading.key} AS key, replaceAll(_etag, '"', '') AS etag, toString(_size) AS bytes
      FROM ${reading.from('nothing UInt8')}`,
    { settings, endpoints, signal },
  )
  return new Map(found.map(({ key, etag, bytes }) => [key, { etag, bytes: Number(bytes) }]))
}
