import type { Issue } from '../../domain/issue.ts'
import type { PipeDestination } from '../../domain/pipe/types.ts'
import { EngineFailure, type Questions } from '../destination/questions.ts'
import { compareTable, declaredTypes } from '../destination/tables.ts'
import { sentence, wrong } from './issues.ts'

/** A service that does not answer now is no reason to refuse a pipe: it waits for the service anyway. */
export async function checkDestination(
  questions: Questions,
  destination: PipeDestination,
  signal: AbortSignal,
): Promise<Issue[]> {
  try {
    const types = await wrongTypes(questions, destination, signal)
    if (types.length > 0) return types
    const found = await compareTable(questions, destination, signal)
    if (found !== null) {
      return found.problems.map(({ index, message }) =>
        wrong(['destination', 'columns', index], sentence(message)),
      )
    }
    if (destination.managedTable) return []
    const message = 'The table does not exist, and managedTable is false.'
    return [{ path: ['destination', 'table'], code: 'not_found', message }]
  } catch (error) {
    if (signal.aborted || (error instanceof EngineFailure && error.meaning === 'retry')) return []
    throw error
  }
}

async function wrongTypes(
  questions: Questions,
  { columns }: PipeDestination,
  signal: AbortSignal,
): Promise<Issue[]> {
  const isRight = await declaredTypes(questions, columns, signal).then(() => null, refused)
  if (isRight === null) return []
  const issues: Issue[] = []
  for (const [index, column] of columns.entries()) {
    const reason = await declaredTypes(questions, [column], signal).then(() => null, refused)
    if (reason !== null) issues.push(wrong(['destination', 'columns', index, 'type'], sentence(reason)))
  }
  return issues
}

function refused(error: unknown): string {
  if (error instanceof EngineFailure && error.meaning !== 'retry') return error.message
  throw error
}
