import { stream } from '../../api/call.ts'
import { hasComments } from '../../lib/sql-statements.ts'

/** The statement as the engine writes it; null = the engine would drop its comments, so it is left alone. */
export async function formatStatement(serviceId: string, text: string): Promise<string | null> {
  if (hasComments(text)) return null
  const body = { query: 'SELECT formatQuery({text:String})', parameters: { text } }
  const signal = AbortSignal.timeout(10_000)
  for await (const line of stream('services.query', { params: { serviceId }, body, signal })) {
    if (line.kind === 'rows') return String(line.rows[0]?.[0] ?? text)
  }
  return text
}
