import type { Exchange } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusal.ts'
import type { AnswerHead } from './answer-parser.ts'
import { answerHeaders } from './forwarded-heads.ts'
import type { Asker, Upstream } from './upstream.ts'

interface Collected {
  head: AnswerHead
  bytes: Buffer
}

const maxAnswerBytes = 1024 * 1024

/**
 * Sends a statement to every replica, because only one of them may run the query to kill. Answers with the
 * refusal, if any, or else with the longest successful answer, since one more row is longer in every format.
 */
export async function askEveryone(
  exchange: Exchange,
  upstreams: readonly Upstream[],
  asker: Asker,
): Promise<void> {
  const { response } = exchange
  const gone = new AbortController()
  exchange.onGone = () => gone.abort()
  const all = await Promise.all(upstreams.map((upstream) => ask(exchange, upstream, asker, gone.signal)))
  if (exchange.isGone) return
  const answers = all.filter((answer) => answer !== null)
  const [best] = answers.toSorted((a, b) => rank(b) - rank(a))
  if (!best) return exchange.refuse(refusals.nobodyAsked())
  const { head, bytes } = best
  exchange.sentBytes += bytes.length
  response.writeHead(head.status, head.statusText, answerHeaders(head, exchange, bytes.length))
  response.end(bytes)
}

/** A refusal ranks first: if one replica has found a query that may not be killed, the others find nothing. */
const rank = ({ head, bytes }: Collected): number => {
  if (head.status === 403) return Number.POSITIVE_INFINITY
  return head.status < 400 ? bytes.length : -head.status
}

/** null = the replica could not be asked, or did not answer. */
function ask(
  exchange: Exchange,
  upstream: Upstream,
  asker: Asker,
  signal: AbortSignal,
): Promise<Collected | null> {
  return new Promise((resolve) => {
    const text = upstream.head(exchange, asker)
    const connection = upstream.take('fresh')
    const chunks: Buffer[] = []
    let head: AnswerHead | null = null
    let size = 0
    const giveUp = () => {
      connection.destroy()
      done(null)
    }
    const done = (answer: Collected | null) => {
      signal.removeEventListener('abort', giveUp)
      resolve(answer)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    connection.begin({
      isHeadOnly: exchange.method === 'HEAD',
      onContinue: () => {},
      onHead(received) {
        head = received
      },
      onBody(bytes) {
        size += bytes.length
        if (size > maxAnswerBytes) giveUp()
        else chunks.push(bytes)
      },
      onRead: () => {},
      onEnd: () => done(head && { head, bytes: Buffer.concat(chunks) }),
      onLost: () => done(null),
      onDrain: () => {},
    })
    connection.write(`${text}\r\n`)
    connection.write(exchange.body.bytes)
    connection.endRequest()
  })
}
