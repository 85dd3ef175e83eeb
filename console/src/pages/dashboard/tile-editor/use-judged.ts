import { useEffect, useState } from 'preact/hooks'
import { toApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'
import type { Result } from '../../../api/operations.ts'
import type { Series, VariableValues } from '../dashboard-types.ts'

export type Judged = Result<'charts.where'>

/** The value, 300 ms after its last change. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  const key = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 300)
    return () => clearTimeout(timer)
  }, [key])
  return settled
}

export interface Judgement {
  all: readonly (Judged | null)[]
  /** It is about the series as they are now. */
  isCurrent: boolean
}

/** What the server says about the filter of each series: English, or what is wrong and where. */
export function useJudged(series: readonly Series[], variables: VariableValues): Judgement {
  const [judged, setJudged] = useState<{ key: string; all: readonly (Judged | null)[] }>({ key: '', all: [] })
  const asked = series.map(({ where, whereLanguage = 'lucene', dataSource, sourceId, type }) =>
    where.trim() === '' || type === 'markdown'
      ? null
      : { where, whereLanguage, dataSource: sourceId ?? dataSource, variables },
  )
  const key = JSON.stringify(asked)
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const judge = async (body: (typeof asked)[number]): Promise<Judged | null> => {
      if (body === null) return null
      try {
        return await call('charts.where', { body, signal })
      } catch (thrown) {
        const { message } = toApiError(thrown)
        return { valid: false, english: '', errors: [{ path: ['where'], code: 'failed', message }] }
      }
    }
    void Promise.all(asked.map(judge)).then((all) => !signal.aborted && setJudged({ key, all }))
    return () => ending.abort()
  }, [key])
  return { all: judged.all, isCurrent: judged.key === key }
}
