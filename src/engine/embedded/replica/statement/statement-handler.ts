import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBlockEncoder } from '../../../../lib/clickhouse/compressed-blocks.ts'
import { textWithoutBody } from '../../../../lib/clickhouse/statement-text.ts'
import type { Slots } from '../../../../lib/slots.ts'
import { readEngineError, withoutPaths } from '../engine/errors.ts'
import type { EngineResult } from '../engine/library.ts'
import { type Answer, type AnswerOptions, createAnswer, type Summary } from '../http/answer.ts'
import { CutOff, cutOff } from '../http/body.ts'
import { contentType, isJsonLines, plainText, showsProgress } from '../http/content-types.ts'
import { chooseEncoding, createEncoder, type Encoding } from '../http/encodings.ts'
import { createForms, type Form, isForm } from '../http/form.ts'
import { type Parameters, readParameters } from '../http/parameters.ts'
import { maxLargeStatements, readWork, type Work } from '../http/read-work.ts'
import { createSpool, type Spool } from '../http/spool.ts'
import type { Usage } from '../status/usage.ts'
import { createExecutor, type ExecutorParts } from './executor.ts'
import { type Plan, planWork } from './plan.ts'
import type { LogEntry } from './query-log.ts'
import { sendSpool } from './run-read.ts'
import { createStatementSlots } from './statement-slots.ts'
import { createUnchangedSettings } from './unchanged-settings.ts'

export interface StatementHandlerParts extends ExecutorParts {
  slots: Slots
  usage: Usage
  version: string
  timezone: string
  /** On a reader a change would be lost, so nothing may write. */
  isReader: boolean
  /** Directories whose paths are removed from error messages. */
  directories: readonly string[]
}

/** Bytes held back before an answer begins, so that most failures come before its HTTP head. */
const holdBytes = 64 * 1024
const maxBufferBytes = 4 * 1024 * 1024
const maxWaitingLarge = 1_000

/** Handles one request, from its parameters to the last byte of the answer. Never rejects. */
export function createStatementHandler(parts: StatementHandlerParts) {
  const { slots, usage, statements, version, timezone, spoolDir, isReader, directories, queryLog } = parts
  const execute = createExecutor(parts)
  const withoutUnchanged = createUnchangedSettings(parts.connections.run)
  const forms = createForms()
  const large = createStatementSlots({
    max: maxLargeStatements,
    maxWaiting: maxWaitingLarge,
    unit: ' large statements',
  })

  async function handle(request: IncomingMessage, response: ServerResponse, search: string): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => response.writableFinished || gone.abort(cutOff()))
    // The `close` listener above handles a client that disconnects.
    response.on('error', () => undefined)
    let queryId = ''
    let answer: Answer | undefined
    let spool: Spool | null = null
    let leaveForm = () => {}
    let leaveLarge = () => {}
    const claim = async () => {
      leaveLarge = await large.enter(gone.signal)
    }
    let logged: Pick<LogEntry, 'user' | 'database' | 'text' | 'verb'> | undefined
    const startedAtMs = Date.now()
    const begun = performance.now()
    const tell = (outcome: LogEntry['outcome']) => {
      if (logged === undefined) return
      queryLog.add({ ...logged, queryId, startedAtMs, durationMs: performance.now() - begun, outcome })
    }
    try {
      const read = isForm(request) ? await forms.read(request, gone.signal) : null
      leaveForm = read?.leave ?? leaveForm
      const form = read?.form ?? null
      const { method = '', headers } = request
      const parameters = readParameters({ method, search, headers, form: form?.fields ?? null, isReader })
      queryId = parameters.queryId || randomUUID()
      parameters.settings = await withoutUnchanged(parameters.settings)
      const encoding = answerEncoding(request, parameters)
      // An error before the statement is known uses the encoding that its result would have.
      answer = createAnswer({ ...plainAnswer, ...encoding, timezone, response, queryId, version })
      const { queries, decompress } = parameters
      const work: Work =
        form === null
          ? await readWork(request, queries, decompress, claim)
          : { is: 'statement', sql: textWithoutBody(queries) }
      const text = work.is === 'insert' ? work.text : work.sql
      logged = { user: userOf(parameters), database: parameters.database, text, verb: '' }
      const plan = planWork(work, parameters)
      logged.verb = verbOf(plan)
      // The engine then checks for progress every millisecond; a server reports each block.
      if (showsProgress(plan.format)) parameters.settings.unshift(['interactive_delay', '1000'])
      const { engineEncoding, options } = answerOptions(encoding, parameters, plan)
      answer = createAnswer({ ...options, response, queryId, version })
      spool =
        plan.way === 'read' && parameters.waitEndOfQuery ? createSpool(spoolDir, holdFor(parameters)) : null
      const summary = await runOne({ plan, parameters, form, queryId, engineEncoding, answer, spool, gone })
      if (spool !== null && !gone.signal.aborted) {
        answer.know(summary)
        await sendSpool(spool, answer, gone.signal)
      }
      if (!gone.signal.aborted) answer.end(summary)
      tell({ ...summary, resultBytes: answer.resultBytes })
    } catch (error) {
      if (error instanceof CutOff) return void response.destroy()
      const engineError = withoutPaths(readEngineError(error), directories)
      usage.failed(engineError)
      tell({ code: engineError.code, message: engineError.message })
      if (gone.signal.aborted) return
      answer ??= createAnswer({ ...plainAnswer, timezone, response, queryId, version })
      answer.fail(engineError)
    } finally {
      spool?.remove()
      leaveForm()
      leaveLarge()
      // Discards the unread rest of the body; otherwise the client would wait for it to be read.
      if (!request.readableEnded) request.resume()
    }
  }

  async function runOne(one: {
    plan: Plan
    parameters: Parameters
    form: Form | null
    queryId: string
    engineEncoding: Encoding | null
    answer: Answer
    spool: Spool | null
    gone: AbortController
  }): Promise<Summary> {
    const { plan, parameters } = one
    const running = statements.add(one.queryId, { user: userOf(parameters), text: plan.text })
    try {
      const leave = await slots.enter(one.gone.signal)
      try {
        const result = await execute({ ...one, running, gone: one.gone.signal })
        const isInsert = plan.way === 'insert' || plan.way === 'input' || plan.way === 'copy'
        usage.done(result, isInsert)
        return summaryOf(result, isInsert)
      } finally {
        leave()
      }
    } finally {
      running.remove()
    }
  }

  function answerOptions(encoding: AnswerEncoding, parameters: Parameters, plan: Plan) {
    const { compress, cors } = parameters
    const isLeftToEngine = plan.way === 'read' && !compress && isForEngine(encoding.contentEncoding)
    const engineEncoding = isLeftToEngine ? (encoding.contentEncoding as Encoding) : null
    const options = {
      ...encoding,
      ...(isLeftToEngine ? { encoders: () => [], isEncoded: false } : {}),
      format: plan.format,
      contentType: plan.way === 'insert' || plan.way === 'input' ? plainText : contentType(plan.format),
      timezone: parameters.timezone || timezone,
      cors,
      writesException: parameters.writesException && isJsonLines(plan.format),
      // Progress is useful only while the statement runs, so nothing is held back.
      holdBytes: showsProgress(plan.format) && parameters.bufferBytes === 0 ? 0 : holdFor(parameters),
    }
    return { engineEncoding, options }
  }

  return handle
}

const userOf = ({ user }: Parameters): string => user || 'default'

const verbOf = (plan: Plan): string => ('statement' in plan ? plan.statement.verb : 'INSERT')

const holdFor = ({ waitEndOfQuery, bufferBytes }: Parameters): number =>
  Math.min(Math.max(bufferBytes, waitEndOfQuery ? 16 * holdBytes : holdBytes), maxBufferBytes)

type AnswerEncoding = Pick<AnswerOptions, 'encoders' | 'errorEncoders' | 'isEncoded'> & {
  contentEncoding: Encoding | ''
}

/** The encoding of the answer that the client accepts, for a result or an error. */
function answerEncoding(
  { headers }: IncomingMessage,
  { httpCompression, compress, compressionLevel }: Parameters,
): AnswerEncoding {
  const accept = String(headers['accept-encoding'] ?? '')
  const wanted = httpCompression && accept !== '' ? chooseEncoding(accept) : null
  const encoders = () => [
    ...(compress ? [createBlockEncoder()] : []),
    ...(wanted === null ? [] : [createEncoder(wanted, compressionLevel)]),
  ]
  const isEncoded = compress || wanted !== null
  return { encoders, errorEncoders: encoders, isEncoded, contentEncoding: wanted ?? '' }
}

/** The engine compresses with these encodings, Node with the others. */
const isForEngine = (encoding: string): boolean => ['lz4', 'snappy', 'xz'].includes(encoding)

function summaryOf(
  { rowsRead, bytesRead, scanned, elapsedSeconds }: EngineResult,
  isInsert: boolean,
): Summary {
  // For an insert, the engine's read counters count the rows and bytes of the data, which are those written.
  if (isInsert) {
    const written = { rowsWritten: rowsRead, bytesWritten: bytesRead }
    return { rowsRead, bytesRead, resultRows: 0, ...written, elapsedSeconds }
  }
  const read = { rowsRead: scanned?.rows ?? rowsRead, bytesRead: scanned?.bytes ?? bytesRead }
  return { ...read, resultRows: rowsRead, rowsWritten: 0, bytesWritten: 0, elapsedSeconds }
}

const plainAnswer = {
  format: 'TabSeparated',
  contentType: plainText,
  cors: false,
  holdBytes: 0,
  encoders: () => [],
  errorEncoders: () => [],
  isEncoded: false,
  contentEncoding: '',
}
