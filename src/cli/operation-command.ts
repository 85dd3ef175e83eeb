import type { Option } from 'commander'
import { type BodyOf, type OperationId, operation, type QueryOf, type ResultOf } from '../api/operations.ts'
import type { CallArguments, PagedId } from '../client/call-types.ts'
import type { CommandDefinition } from './command.ts'
import { confirm } from './confirm.ts'
import { type Operands, operandsOf, paramsOf } from './operands.ts'
import { limitOption, timeoutOption, type WaitOptions, waitOption, yesOption } from './options.ts'
import type { Form } from './output.ts'
import { listAll } from './paging.ts'
import type { Session } from './session.ts'
import type { Watched } from './wait.ts'

/** The parts of a command that the operations table does not have. */
export interface Wording<Id extends OperationId> {
  /** Default: the verb of the operation. */
  name?: string
  summary: string
  details?: string
  examples: readonly string[]
  /** Operands after those that the operation's path needs. */
  moreOperands?: CommandDefinition['operands']
  options?: readonly Option[]
  query?(flags: object): QueryOf<Id>
  body?(flags: object, session: Session, operands: Operands): BodyOf<Id> | Promise<BodyOf<Id>>
  /** A question that the user must confirm first; the command then takes `--yes`. */
  question?(operands: Operands): string
  /** How to wait until the state has settled; the command then takes `--wait` and `--timeout`. */
  watch?(session: Session, result: ResultOf<Id>, timeoutMs: number): Promise<Watched<ResultOf<Id>>>
  /** Called for each piece of an answer that is streamed. */
  show(form: Form, result: ResultOf<Id>, context: ShowContext<Id>): string
}

export interface ShowContext<Id extends OperationId> {
  operands: Operands
  /** What was sent, where the operation takes a body and its answer is no stream. */
  body?: BodyOf<Id>
  isGone: boolean
}

interface Flags extends WaitOptions {
  limit?: number
  yes?: true
}

/**
 * The command of one operation: operands from its path, pages from its query. Errors of the command line are
 * found before any request is sent, and the question is asked last.
 */
export function commandOf<Id extends OperationId>(id: Id, wording: Wording<Id>): CommandDefinition {
  const { name = id.slice(id.indexOf('.') + 1), summary, details, examples } = wording
  const isPaged = 'cursor' in ((operation(id).query as { properties?: object })?.properties ?? {})
  const { answer } = operation(id)
  const isStreamed = answer !== undefined && answer !== 'text'
  return {
    name,
    summary,
    ...(details === undefined ? {} : { details }),
    operands: [...operandsOf(id), ...(wording.moreOperands ?? [])],
    options: [
      ...(wording.options ?? []),
      ...(isPaged ? [limitOption] : []),
      ...(wording.question ? [yesOption] : []),
      ...(wording.watch ? [waitOption, timeoutOption] : []),
    ],
    examples,
    async run(session, operands: Operands, flags: Flags) {
      const query = wording.query?.(flags)
      const body = await wording.body?.(flags, session, operands)
      const params = await paramsOf(session, id, operands)
      if (wording.question) await confirm(session, wording.question(operands), flags)
      const input = { params, ...(query && { query }), ...(body && { body }) }
      if (isStreamed) return stream(input)
      const result = await call(input)
      const { last, error } =
        wording.watch && flags.wait
          ? await wording.watch(session, result, flags.timeout)
          : { last: result, error: undefined }
      const shown = last ?? result
      const context = { operands, ...(body && { body }) }
      session.output.result(shown, (form) => wording.show(form, shown, { ...context, isGone: last === null }))
      if (error) throw error

      function call(input: { params: object; query?: object; body?: unknown }): Promise<ResultOf<Id>> {
        const { client, signal } = session
        if (isPaged)
          return listAll(session, id as PagedId, input, flags.limit) as Promise<unknown> as Promise<
            ResultOf<Id>
          >
        return client.call(id, ...([{ ...input, signal }] as unknown as CallArguments<Id>))
      }

      async function stream(input: { params: object; query?: object; body?: unknown }): Promise<void> {
        const { client, signal, output } = session
        const given = [{ ...input, signal }] as unknown as CallArguments<Id>
        for await (const piece of client.stream(id, ...given) as AsyncGenerator<unknown>) {
          if (piece instanceof Uint8Array) await output.bytes(piece)
          else
            output.piece(piece, (form) =>
              wording.show(form, piece as ResultOf<Id>, { operands, isGone: false }),
            )
        }
      }
    },
  }
}
