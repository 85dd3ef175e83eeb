import { type EndpointActivity, noActivity } from '../../domain/service/endpoint.ts'
import type { UserRole } from '../../domain/service/user.ts'
import type { Clock } from '../../lib/clock.ts'
import { endsWithin, type Log } from '../../lib/running.ts'
import { refusals } from '../exchange/refusal.ts'
import type { Query } from '../routing/serve-query.ts'
import { type InternalAnswer, InternalExchange } from './internal-exchange.ts'

/** Who asks from within the product: a pipe, a tile, the SQL page. */
export interface Principal {
  /** Shown in `system.processes` and `system.query_log`. It holds a colon, so that no user of a service has it. */
  name: string
  role: UserRole
  /** For each of its statements, such as `max_execution_time`; a statement may set others for itself. */
  settings?: Readonly<Record<string, string>>
}

export interface Question {
  serviceId: string
  principal: Principal
  /** False: it may wake the service, but neither keeps it awake nor is counted. */
  countsAsActivity: boolean
  statement: string
  /** What the statement inserts, taken no faster than it is used, and ended when it is not wanted any more. */
  body?: AsyncIterable<Uint8Array | string>
  /** Of the answer, where the statement names none. */
  format?: string
  queryId?: string
  /** Of this principal alone. */
  session?: string
  signal?: AbortSignal
}

/**
 * Sends a statement as a request to the endpoint would be, without HTTP, address and password: it waits for a service
 * that sleeps, and is sent again where that does no harm. Resolves when the answer begins; what is wrong with the
 * statement or the service is in the answer. Rejects when the signal aborts or the body fails before.
 */
export interface Asking {
  ask(question: Question): Promise<InternalAnswer>
  /** Refuses what comes, and ends what is still under way after the limit. */
  stop(limitMs: number): Promise<void>
}

export interface AskDependencies {
  clock: Clock
  log: Log
  activityOf(serviceId: string): EndpointActivity
  serve(query: Query): Promise<void>
}

export function createAsking({ clock, log, activityOf, serve }: AskDependencies): Asking {
  const running = new Set<InternalExchange>()
  let isStopped = false

  return {
    async ask(question) {
      const { serviceId, principal, countsAsActivity, signal } = question
      if (!nameForm.test(principal.name)) throw new Error(`no name of a principal: ${principal.name}`)
      signal?.throwIfAborted()
      const exchange = new InternalExchange(question)
      if (isStopped) exchange.refuse(refusals.unavailable('The server is stopping'))
      else {
        running.add(exchange)
        const activity = countsAsActivity ? activityOf : uncounted
        const { name: user, role } = principal
        serve({ exchange, serviceId, user, role, activityOf: activity }).catch((error: unknown) => {
          log.error({ err: error, serviceId, user }, 'a statement of the product failed')
          exchange.refuse(refusals.notYet('The statement cannot be carried out at the moment', 1_000))
        })
        void exchange.closed.then(() => running.delete(exchange))
      }
      return exchange.answer
    },
    async stop(limitMs) {
      isStopped = true
      await endsWithin(clock, limitMs, Promise.all([...running].map(({ closed }) => closed)))
      for (const exchange of running) exchange.leave(new Error('the server is stopping'))
    },
  }
}

const nameForm = /^(?=.*:)[\x21-\x7e]{1,256}$/

/** What nobody reads. */
const uncounted = (): EndpointActivity => ({ ...noActivity })
