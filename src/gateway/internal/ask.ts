import type { EndpointActivity } from '../../domain/service/endpoint.ts'
import type { UserRole } from '../../domain/service/user.ts'
import type { Clock } from '../../lib/clock.ts'
import { endsWithin, type Log } from '../../lib/running.ts'
import { refusals } from '../exchange/refusal.ts'
import type { Query } from '../routing/serve-query.ts'
import { type InternalAnswer, InternalExchange } from './internal-exchange.ts'

/** A part of the product that sends statements: a pipe, a tile, the SQL page. */
export interface Principal {
  /** Shown in `system.processes` and `system.query_log`. It contains a colon, as no user name of a service does. */
  name: string
  role: UserRole
  /** Settings of all its statements, such as `max_execution_time`; a statement may override them. */
  settings?: Readonly<Record<string, string>>
}

export interface Question {
  serviceId: string
  principal: Principal
  /** False = the statement wakes the service and keeps it awake while it runs, but it is no query of a user. */
  countsAsActivity: boolean
  statement: string
  /** The data to insert. It is read no faster than it is used, and closed when no more of it is wanted. */
  body?: AsyncIterable<Uint8Array | string>
  /** How many records are in the body: those that a replica of ours cannot read are left out and answered. */
  records?: number
  /** `address:port`, where a replica of ours lets the statement connect to, even if clients' SQL may not. */
  endpoints?: readonly string[]
  /** The format of the answer if the statement names none. */
  format?: string
  queryId?: string
  /** The session id, separate for each principal. */
  session?: string
  signal?: AbortSignal
  /** Called with true when the statement begins to wait for the service, and with false when it goes on. */
  onHeld?(isHeld: boolean): void
  /**
   * The answer holds every write that was acknowledged before, whoever wrote, and such questions go to one replica as
   * long as they can. Absent = any replica answers, maybe a moment behind the writer.
   */
  isSteady?: boolean
}

/**
 * Sends a statement like a request to the endpoint, but without HTTP, address and password: it is held while
 * the service sleeps, and retried where that is safe. Resolves when the answer begins; errors of the
 * statement or the service are in the answer. Rejects when the signal aborts or the body fails before that.
 */
export interface Asking {
  ask(question: Question): Promise<InternalAnswer>
  /** Refuses new statements, and ends those that still run after the limit. */
  stop(limitMs: number): Promise<void>
}

export interface AskDependencies {
  clock: Clock
  log: Log
  /** Where the statement is counted, and with it what it keeps awake. */
  activityOf(serviceId: string, isCounted: boolean): EndpointActivity
  serve(query: Query): Promise<void>
}

export function createAsking({ clock, log, activityOf, serve }: AskDependencies): Asking {
  const running = new Set<InternalExchange>()
  let isStopped = false

  return {
    async ask(question) {
      const { serviceId, principal, countsAsActivity, signal, isSteady = false } = question
      if (!nameForm.test(principal.name)) throw new Error(`no name of a principal: ${principal.name}`)
      signal?.throwIfAborted()
      const exchange = new InternalExchange(question)
      if (isStopped) exchange.refuse(refusals.unavailable('The server is stopping'))
      else {
        running.add(exchange)
        const activity = (id: string) => activityOf(id, countsAsActivity)
        const { name: user, role } = principal
        serve({ exchange, serviceId, user, role, isSteady, activityOf: activity }).catch((error: unknown) => {
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
