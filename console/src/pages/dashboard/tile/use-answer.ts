import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, toApiError } from '../../../api/api-error.ts'
import { onReturn } from '../../../api/server-away.ts'
import type { Answer, Progress } from '../dashboard-types.ts'

export interface Asked {
  /** The newest answer; it stays while the next one is on its way, and when that fails. */
  answer: ReadonlySignal<Answer | null>
  /** Why the last question failed; null after a good one. */
  error: ReadonlySignal<ApiError | null>
  isAsking: ReadonlySignal<boolean>
  progress: ReadonlySignal<Progress | null>
  again(): void
}

export type Question = (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<Answer>

/** Asks whenever the key changes; null = nothing is asked. A question that is overtaken ends at the server too. */
export function useAnswer(key: string | null, question: Question): Asked {
  const answer = useSignal<Answer | null>(null)
  const error = useSignal<ApiError | null>(null)
  const isAsking = useSignal(false)
  const progress = useSignal<Progress | null>(null)
  const tries = useSignal(0)
  const latest = useRef(question)
  latest.current = question
  // The key stands for the question.
  useEffect(() => {
    if (key === null) return
    const ending = new AbortController()
    const { signal } = ending
    isAsking.value = true
    progress.value = null
    const begin = async () => {
      try {
        const next = await latest.current(signal, (read) => {
          if (!signal.aborted) progress.value = read
        })
        if (signal.aborted) return
        answer.value = next
        error.value = null
      } catch (thrown) {
        if (signal.aborted) return
        error.value = toApiError(thrown)
      }
      isAsking.value = false
    }
    void begin()
    return () => ending.abort()
  }, [key, tries.value])
  const again = () => {
    tries.value += 1
  }
  // The server was away: what failed meanwhile is asked again.
  useEffect(
    () =>
      onReturn(() => {
        if (error.peek()?.isAway) again()
      }),
    [],
  )
  return { answer, error, isAsking, progress, again }
}
