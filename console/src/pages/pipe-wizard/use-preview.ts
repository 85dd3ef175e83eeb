import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import type { Schema, Wizard } from './wizard-state.ts'

export interface Preview {
  /** Null = nothing was read yet. */
  answer: Schema | null
  error: ApiError | null
  /** Source, columns or mappings are others than those of the answer. */
  isOutdated: boolean
  isReading: boolean
  /** Resolves with the error, where there is one. */
  read(): Promise<ApiError | null>
  cancel(): void
}

interface Found {
  /** What was asked, as a text. */
  asked: string
  answer: Schema | null
  error: ApiError | null
}

/** What records of the source become in the table, as the server reads them for the entries of now. */
export function usePreview(wizard: Wizard, serviceId: string): Preview {
  const [found, setFound] = useState<Found | null>(null)
  const [isReading, setReading] = useState(false)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const { source, destination, fieldMappings } = wizard.build()
  const body = { source, destination, ...(fieldMappings && { fieldMappings }) }
  const asked = JSON.stringify(body)
  const read = async () => {
    running.current?.abort()
    const left = new AbortController()
    running.current = left
    setReading(true)
    try {
      const given = { params: { serviceId }, body, signal: left.signal }
      setFound({ asked, answer: await call('pipes.discoverSchema', given), error: null })
      return null
    } catch (thrown) {
      if (left.signal.aborted) return null
      const error = toApiError(thrown)
      setFound({ asked, answer: null, error })
      return error
    } finally {
      if (running.current === left) {
        running.current = null
        setReading(false)
      }
    }
  }
  return {
    ...{ answer: found?.answer ?? null, error: found?.error ?? null },
    ...{ isOutdated: found?.asked !== asked, isReading, read },
    cancel: () => running.current?.abort(),
  }
}
