import { useEffect, useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../../api/api-error.ts'

/** What was read last under each key: it is shown again at once. */
const known = new Map<string, unknown>()

/** Something that is read by statements: when the key changes, and on demand. `isWanted` false reads nothing. */
export function useRead<T>(key: string, isWanted: boolean, read: (signal: AbortSignal) => Promise<T>) {
  const [error, setError] = useState<ApiError | null>(null)
  const [round, setRound] = useState(0)
  const [, setAnswered] = useState(0)
  useEffect(() => {
    if (!isWanted) return
    const left = new AbortController()
    read(left.signal).then(
      (answer) => {
        known.set(key, answer)
        setError(null)
        setAnswered((count) => count + 1)
      },
      (thrown) => {
        if (!left.signal.aborted) setError(toApiError(thrown))
      },
    )
    return () => left.abort()
    // The key stands for what is read.
  }, [key, isWanted, round])
  return { data: known.get(key) as T | undefined, error, reload: () => setRound((count) => count + 1) }
}
