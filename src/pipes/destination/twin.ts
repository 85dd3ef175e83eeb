import { createHash } from 'node:crypto'
import { nameOf } from './errors-table.ts'
import type { Questions } from './questions.ts'
import type { Target } from './target.ts'

/**
 * A twin of the target has its columns, with their expressions, and its constraints, and no views: a block that the twin
 * does not take never reaches the target either. Unless an engine is given, it keeps nothing. Its name is that of the batch, so that a repetition
 * of the batch drops what a killed server has left.
 */
export async function withTwin<T>(
  {
    questions,
    target,
    token,
    engine = 'Null',
  }: { questions: Questions; target: Target; token: string; engine?: string },
  signal: AbortSignal,
  use: (name: string) => Promise<T>,
): Promise<T> {
  const name = `${target.table}_pipe_twin_${createHash('sha256').update(token).digest('hex').slice(0, 12)}`
  const twin = nameOf(target.database, name)
  await questions.run(`CREATE OR REPLACE TABLE ${twin} AS ${target.name} ENGINE = ${engine}`, { signal })
  try {
    return await use(twin)
  } finally {
    await questions.run(`DROP TABLE IF EXISTS ${twin}`).catch(() => '')
  }
}
