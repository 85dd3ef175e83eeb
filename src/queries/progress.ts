import type { Progress } from './run-statement.ts'

/** Progress of an answer; `percent` never falls. */
export interface AnswerProgress extends Progress {
  percent: number
}

/**
 * Adds up the progress of all statements of an answer. Each call begins another statement. The engine reports after
 * every block that it reads; what is told on is each whole percent, and something four times a second.
 */
export function createProgressSum(
  tell: (progress: AnswerProgress) => void,
  now: () => number = () => performance.now(),
): () => (progress: Progress) => void {
  const statements: Progress[] = []
  let percent = 0
  let told = { percent: -1, at: 0 }
  const sum = (name: keyof Progress): number => statements.reduce((total, each) => total + each[name], 0)
  return () => {
    const index = statements.push({ rowsRead: 0, bytesRead: 0, totalRows: 0 }) - 1
    return (progress) => {
      statements[index] = progress
      const rowsRead = sum('rowsRead')
      const totalRows = Math.max(rowsRead, sum('totalRows'))
      // The engine finds out about parts to read while it reads; the whole is told by the answer itself.
      percent = Math.max(percent, totalRows === 0 ? 0 : Math.floor((rowsRead / totalRows) * 1000) / 10)
      const at = now()
      if (Math.floor(percent) === told.percent && at - told.at < restMs) return
      told = { percent: Math.floor(percent), at }
      tell({ rowsRead, bytesRead: sum('bytesRead'), totalRows, percent: Math.min(percent, 100) })
    }
  }
}

const restMs = 250
