import { stream } from '../../../api/call.ts'
import type { Arguments } from '../../../api/operations.ts'
import { createGate } from '../../../lib/gate.ts'
import type { Answer, AnswerMeta, Progress, Row } from '../dashboard-types.ts'

type AskId = 'dashboards.queryTile' | 'charts.series'

/** Six questions at a time, so that a dashboard of many tiles does not keep other requests waiting. */
const gate = createGate(6)

/** Asks, telling how far the reading is. The statement ends with the signal. */
export function ask<Name extends AskId>(
  id: Name,
  input: Arguments<Name>[0],
  signal: AbortSignal,
  onProgress: (progress: Progress) => void = () => {},
): Promise<Answer> {
  return gate.run(async () => {
    let answer: Answer | null = null
    const lines = stream(id, ...([{ ...input, signal }] as unknown as Arguments<Name>))
    for await (const line of lines as AsyncIterable<Line>) {
      if (line.progress) onProgress(line.progress)
      else if (line.data && line.meta) answer = { rows: line.data, meta: line.meta, at: Date.now() }
    }
    if (!answer) throw new Error('The answer ended before it was whole.')
    return answer
  }, signal)
}

interface Line {
  progress?: Progress
  data?: Row[]
  meta?: AnswerMeta
}
