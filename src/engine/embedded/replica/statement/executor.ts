import { describeStatement } from '../../../../lib/clickhouse/statement.ts'
import { EngineError } from '../../engine-error.ts'
import type { Egress } from '../confine/egress.ts'
import { type Connections, plainProfile } from '../engine/connections.ts'
import type { EngineResult } from '../engine/library.ts'
import type { Fifos } from '../fifo/fifos.ts'
import type { ResultFifos } from '../fifo/result-fifos.ts'
import type { Answer } from '../http/answer.ts'
import { showsProgress } from '../http/content-types.ts'
import type { Encoding } from '../http/encodings.ts'
import type { Form } from '../http/form.ts'
import { type Parameters, setupStatements, substitutionsPrefix } from '../http/parameters.ts'
import type { Spool } from '../http/spool.ts'
import { createTable, type ExternalTable, insertHeaderFor, readExternalTable } from './external-tables.ts'
import { withoutHints } from './hints.ts'
import { runKill } from './kill.ts'
import { loadCounted, recordingArgs, rejectsFile } from './load-counted.ts'
import type { Plan } from './plan.ts'
import type { QueryLog } from './query-log.ts'
import { createResultSizes } from './result-sizes.ts'
import { type InsertOptions, runInsert } from './run-insert.ts'
import { runRead, runSmallRead } from './run-read.ts'
import type { RunningStatement, RunningStatements } from './running.ts'
import type { Sessions } from './sessions.ts'
import type { ShownProcesses } from './shown-processes.ts'

export interface ExecutorParts {
  connections: Connections
  sessions: Sessions
  statements: RunningStatements
  processes: ShownProcesses
  queryLog: QueryLog
  fifos: Fifos
  resultFifos: ResultFifos
  spoolDir: string
  egress: Egress
}

export interface Execution {
  plan: Plan
  parameters: Parameters
  form: Form | null
  running: RunningStatement
  engineEncoding: Encoding | null
  answer: Answer
  spool: Spool | null
  gone: AbortSignal
}

/** Runs a plan on the engine. When the promise resolves, the connection is free for the next request. */
export function createExecutor(parts: ExecutorParts): (execution: Execution) => Promise<EngineResult> {
  const { connections, sessions, statements, processes, queryLog, fifos, resultFifos, spoolDir, egress } =
    parts
  const sizes = createResultSizes()

  return async (execution) => {
    if (execution.plan.text.includes('query_log')) await queryLog.flush()
    if (!isHeldInMemory(execution)) return runOnce(execution, false)
    try {
      return await runOnce(execution, true)
    } catch (error) {
      if (!isTooLarge(error)) throw error
      // The result is larger than earlier results of the same statement shape.
      sizes.note(execution.plan.text, Number.POSITIVE_INFINITY)
      return runOnce(execution, false)
    }
  }

  async function runOnce(execution: Execution, isHeld: boolean): Promise<EngineResult> {
    const { running } = execution
    const connection = await enter(execution, isHeld)
    let state: 'clean' | 'dirty' = 'dirty'
    const { endpoints } = execution.parameters
    // While the statement runs, clients' SQL can connect to its endpoints too, but only to these addresses and ports.
    const withdraw = endpoints.length === 0 ? null : egress.grant(endpoints)
    const withRefusal = egress.watch()
    try {
      running.tag = connection.tag
      const result = await runPlan(execution, connection, isHeld)
      if (execution.plan.leavesNothing && execution.form === null) state = 'clean'
      return result
    } catch (error) {
      throw withRefusal(error)
    } finally {
      // Another statement may take the connection from here on.
      running.tag = ''
      await connection.leave(state)
      withdraw?.()
      // Clients' SQL could reuse connections that the engine has pooled.
      if (withdraw !== null) await connections.run('SYSTEM DROP CONNECTIONS CACHE')
    }
  }

  async function enter({ plan, parameters }: Execution, isHeld: boolean): Promise<Entered> {
    const { session, substitutions } = parameters
    if (session !== null) {
      const { tag, query, leave } = await sessions.enter(session, parameters)
      return { tag, query, leave, rejects: null }
    }
    const rejects = plan.way === 'input' && parameters.records !== null ? rejectsFile(spoolDir) : null
    const connection = await connections.take({
      ...plainProfile,
      args: [
        ...plan.args,
        ...(isHeld || isLittle(plan) ? oneThread : []),
        ...(isHeld ? smallResult : []),
        ...(rejects === null ? [] : recordingArgs(rejects)),
      ],
      setup: setupStatements(parameters),
      substitutions: substitutions.map(([name]) => name).join(),
    })
    return {
      tag: connection.tag,
      query: connection.query,
      rejects,
      leave: async (state) => connection.release(state),
    }
  }

  /** Whether formatting or parsing with several threads would cost more than it saves. */
  function isLittle(plan: Plan): boolean {
    if (plan.way === 'insert') return plan.data.rest === null
    return plan.way === 'read' && sizes.isSmall(plan.sql)
  }

  /** Whether the result is expected to be small, and the replica can set limits that fail the statement if it is not. */
  function isHeldInMemory({ plan, parameters, spool, engineEncoding }: Execution): boolean {
    const { session, settings } = parameters
    return (
      plan.way === 'read' &&
      session === null &&
      spool === null &&
      engineEncoding === null &&
      !showsProgress(plan.format) &&
      !showsLimits.test(plan.sql) &&
      !settings.some(([name]) => showsLimits.test(name)) &&
      sizes.isSmall(plan.sql)
    )
  }

  async function runPlan(execution: Execution, connection: Entered, isHeld: boolean): Promise<EngineResult> {
    const { plan, parameters, form, running, answer, spool, gone } = execution
    const run = async (sql: string, format?: string | null) => {
      egress.check(sql, parameters.endpoints)
      return running.run(connection, withoutHints(sql), format)
    }
    const prefix = substitutionsPrefix(parameters.substitutions)
    const common = { fifos, spoolDir, running, run, parse: connections.parse }
    for (const { name, data } of form?.files ?? []) {
      const table = readExternalTable(name, parameters.external)
      await loadExternal(table, { ...common, data: { bytes: data, rest: null } })
    }
    switch (plan.way) {
      case 'read': {
        const { format } = plan
        const sql = await processes.inPlaceOfTable(plan.sql, parameters.database)
        const statement = sql === plan.sql ? plan.statement : describeStatement(sql)
        const encoding = execution.engineEncoding
        const cancel = () => void running.cancel()
        const about = { sql, statement, prefix, format, answer, gone, run, cancel, asWritten: plan.sql }
        const result = isHeld
          ? await runSmallRead(about)
          : await runRead({ ...about, encoding, spool, fifos: resultFifos })
        if (spool === null) sizes.note(plan.sql, answer.resultBytes)
        return result
      }
      case 'insert':
        return runInsert({ ...common, ...plan, prefix })
      case 'input': {
        const load = () => loadExternal(plan.table, { ...common, data: plan.data })
        if (connection.rejects === null) {
          await load()
          return run(prefix + plan.sql, null)
        }
        const { records, table } = { records: parameters.records ?? 0, table: plan.table.name }
        const count = await loadCounted({ load, run, records, table, path: connection.rejects })
        const result = await run(prefix + plan.sql, null)
        answer.write(Buffer.from(JSON.stringify(count)))
        return result
      }
      case 'kill': {
        const { sql, format } = plan
        const { parse } = connections
        const mayKillOthers = !parameters.readOnly
        const about = { sql, format, running, mayKillOthers, statements, processes, parse }
        return written(answer, await runKill({ ...about, run: (text, format) => run(prefix + text, format) }))
      }
      case 'copy':
        return run(prefix + plan.sql, null)
      case 'whole':
        return written(answer, await run(prefix + plan.sql, plan.format))
    }
  }
}

/** Reads and inserts get the same settings, so that connections can be reused for both. */
const oneThread = ['--output_format_parallel_formatting=0', '--input_format_parallel_parsing=0']

/** The limits of a result held in memory; a value that is the same in every row counts once. */
const smallResult = ['--max_result_rows=1000', '--max_result_bytes=65536', '--result_overflow_mode=throw']
/** A client that sets such limits itself, or reads them, must not see the replica's limits. */
const showsLimits = /max_result|result_overflow|getsetting|system\W*settings/i

/** TOO_MANY_ROWS_OR_BYTES, MEMORY_LIMIT_EXCEEDED */
const isTooLarge = (error: unknown): boolean =>
  error instanceof EngineError && (error.code === 396 || error.code === 241)

interface Entered {
  tag: string
  query: (sql: string, format?: string | null) => Promise<EngineResult>
  /** The file of the records that cannot be read; null = such a record fails the statement. */
  rejects: string | null
  leave: (state: 'clean' | 'dirty') => Promise<void>
}

async function loadExternal(
  table: ExternalTable,
  how: Omit<InsertOptions, 'header' | 'text' | 'prefix' | 'encoding'>,
): Promise<void> {
  await how.run(createTable(table))
  await runInsert({ ...how, header: insertHeaderFor(table), text: '', prefix: '', encoding: null })
}

function written(answer: Answer, result: EngineResult): EngineResult {
  if (result.bytes.length > 0) answer.write(result.bytes)
  return result
}
