import { useCallback, useEffect, useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { readSchema, type Schema } from './schema.ts'

/** What was read last, of each service: it is shown again at once, and while the service sleeps. */
const known = new Map<string, Schema>()

/** The schema of a service. Reading it would wake a service that sleeps: it is read only while the service runs. */
export function useSchema(serviceId: string, isAwake: boolean) {
  const [answer, setAnswer] = useState<{ error: ApiError | null; round: number }>({ error: null, round: 0 })
  const [wanted, setWanted] = useState(0)
  useEffect(() => {
    if (!isAwake || serviceId === '') return
    const left = new AbortController()
    const tell = (error: ApiError | null) => setAnswer(({ round }) => ({ error, round: round + 1 }))
    readSchema(serviceId, left.signal).then(
      (schema) => {
        known.set(serviceId, schema)
        tell(null)
      },
      (thrown) => {
        if (!left.signal.aborted) tell(toApiError(thrown))
      },
    )
    return () => left.abort()
  }, [serviceId, isAwake, wanted])
  const reload = useCallback(() => setWanted((count) => count + 1), [])
  return { schema: known.get(serviceId) ?? null, error: answer.error, reload }
}
