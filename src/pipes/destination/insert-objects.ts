import type { SpooledObjects } from '../destination.ts'
import type { ObjectReading } from '../object-storage/reading.ts'
import type { SourceObject } from '../source.ts'
import type { BadRecord } from './errors-table.ts'
import type { Ledger } from './ledger.ts'
import { type BadObject, type Loading, nowhereOf, planOf, reasonOfObject } from './load-objects.ts'
import { loadVersions } from './load-versions.ts'
import type { Questions } from './questions.ts'
import { badLines } from './salvage-lines.ts'
import { createStaging } from './staging.ts'
import type { Target } from './target.ts'

/** The objects of one pipe's source, for the engine. */
export interface Objects {
  format: string
  /** A queue tells of every version of an object. */
  isQueued: boolean
  /** Rejects when the source cannot be reached at all. */
  reading(
    objects: readonly SourceObject[],
    /** Instead of the source's own. */
    format?: string,
  ): Promise<{ reading: Omit<ObjectReading, 'endpoint'>; endpoints: readonly string[] }>
}

export interface InsertedObjects {
  rows: number
  bad: readonly BadObject[]
}

/** Loads the objects of a batch by way of a staging table. Of a text, lines that cannot be read are left out; any other
 * object that cannot be read is left out as a whole. */
export async function insertObjects(
  {
    questions,
    ledger,
    target,
    objects,
  }: { questions: Questions; ledger: Ledger; target: Target; objects: Objects },
  batch: { token: string; content: SpooledObjects },
  signal: AbortSignal,
): Promise<InsertedObjects> {
  const staging = createStaging(questions, target, batch.token)
  const noted = await ledger.staged(batch.token, signal)
  const staged: Staged = noted === null ? await stage() : (JSON.parse(noted) as Staged)
  await staging.empty(staged.lastBlock, noted !== null, signal)
  return { rows: staged.rows, bad: [...staged.bad, ...batch.content.rejected.map(badObject)] }

  async function stage(): Promise<Staged> {
    const bad = await loadVersions({ questions, target, objects, staging }, batch.content.objects, signal)
    const made: Staged = { rows: await staging.rows(signal), bad, lastBlock: await staging.lastBlock(signal) }
    await ledger.noteStaged(batch.token, JSON.stringify(made), signal)
    return made
  }
}

interface Staged {
  rows: number
  bad: BadObject[]
  lastBlock: string
}

const badObject = ({ key, bytes, code, reason }: BadObject): BadObject => ({ key, bytes, code, reason })

/** The bad objects and lines for the errors table. The bytes of whole objects stay where they are. */
export async function* badObjects(
  parts: Omit<Loading, 'staging'>,
  bad: readonly BadObject[],
  signal: AbortSignal,
): AsyncGenerator<BadRecord> {
  for (const { key, bytes, code, reason, lines } of bad) {
    if (lines !== undefined) {
      const plan = planOf(parts)
      const about = { key, bytes, reason, ordinals: lines, plan, nowhere: nowhereOf(plan) }
      yield* badLines({ ...parts, onFailure: reasonOfObject }, about, signal)
    } else yield { source: key, position: '0', code, reason, raw: new Uint8Array(), size: bytes }
  }
}
