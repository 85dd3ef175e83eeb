import type { PipeSecrets } from '../../domain/pipe/types.ts'
import { DestinationError } from '../destination.ts'
import type { PipeWarehouse, WarehouseQuestion } from '../warehouse.ts'
import { type Meaning, meaningOf } from './classify.ts'

/** Statements of one pipe on its service. */
export interface Questions {
  /** Resolves with the whole answer; rejects with an `EngineFailure`. */
  run(statement: string, more?: Omit<WarehouseQuestion, 'statement'>): Promise<string>
  /** The answer as it comes. */
  open(statement: string, more?: Omit<WarehouseQuestion, 'statement'>): Promise<AsyncIterable<Uint8Array>>
  /** The rows of an answer, which must be few. */
  rows<T>(statement: string, more?: Omit<WarehouseQuestion, 'statement'>): Promise<T[]>
}

/** A statement failed. The message is fit for people and contains no secret. */
export class EngineFailure extends Error {
  readonly code: number
  readonly meaning: Meaning
  constructor(code: number, message: string) {
    super(message)
    this.code = code
    this.meaning = meaningOf(code, message)
  }
}

/** `secrets` are left out of messages, should the engine repeat them. */
export function createQuestions(warehouse: PipeWarehouse, secrets: readonly string[]): Questions {
  async function open(statement: string, more: Omit<WarehouseQuestion, 'statement'> = {}) {
    const { body, exception } = await warehouse.ask({ statement, ...more }).catch(failed(more.signal))
    if (exception !== null) throw toFailure(exception, secrets)
    return body
  }

  async function run(statement: string, more: Omit<WarehouseQuestion, 'statement'> = {}): Promise<string> {
    const body = await open(statement, more)
    let text = ''
    try {
      const decoder = new TextDecoder()
      for await (const bytes of body) text += decoder.decode(bytes, { stream: true })
    } catch (error) {
      throw toFailure(error, secrets)
    }
    return text
  }
  return {
    run,
    open,
    async rows<T>(statement: string, more = {}) {
      const text = await run(statement, { format: 'JSONEachRow', ...more })
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T)
    },
  }
}

/** A body that cannot be read, or a signal that aborted, is no failure of the engine. */
const failed =
  (signal: AbortSignal | undefined) =>
  (error: unknown): never => {
    signal?.throwIfAborted()
    throw new DestinationError('retry', `the batch cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }

function toFailure(error: unknown, secrets: readonly string[]): EngineFailure {
  const { code, message } = error as { code?: unknown; message?: string }
  const shown = secrets.reduce(
    (text, secret) => text.replaceAll(secret, '[hidden]'),
    plainMessage(message ?? ''),
  )
  return new EngineFailure(typeof code === 'number' ? code : 0, shown)
}

/** Without the code, the version and the name of the stage at which the engine stopped. */
export function plainMessage(message: string): string {
  return message
    .replace(/^Code: \d+\. DB::Exception: /, '')
    .replace(/\.? \([A-Z][A-Z0-9_]+\)( \(version [^)]*\))?\s*$/, '')
    .replace(/\s*: While executing \w+/g, '')
    .replace(/: data for INSERT was parsed from stdin/, '')
    .trim()
}

/** The error of a statement whose records are not at fault. `data` here means that the table does not take them. */
export function toDestinationError(error: unknown): unknown {
  if (!(error instanceof EngineFailure)) return error
  const verdict = error.meaning === 'data' ? 'stop' : error.meaning
  return new DestinationError(verdict, error.message, { cause: error })
}

/** Every text among the secrets that must not be in a message; short ones occur in any text. */
export function secretTexts(secrets: PipeSecrets): string[] {
  const texts = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(texts)
        : []
  return texts(secrets).filter((text) => text.length >= 8)
}
