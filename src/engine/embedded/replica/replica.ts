import type { Server } from 'node:http'
import type { Log } from '../../../lib/running.ts'
import { setFilter } from '../filter/filter-switch.ts'
import type { ReplicaSpec } from '../protocol.ts'
import { createBackupJobs } from './backup/backup-jobs.ts'
import { createDictionaryLifetimes } from './catalog/dictionary-lifetimes.ts'
import { createCatalogFollower } from './catalog/follower.ts'
import type { Egress } from './confine/egress.ts'
import { createConnections } from './engine/connections.ts'
import { prepareEngine } from './engine/engine-config.ts'
import type { Library } from './engine/library.ts'
import { createFifos } from './fifo/fifos.ts'
import { createResultFifos } from './fifo/result-fifos.ts'
import { createHttpServer } from './http/http-server.ts'
import { createQueryLog } from './statement/query-log.ts'
import { createRunningStatements } from './statement/running.ts'
import { createSessions } from './statement/sessions.ts'
import { createShownProcesses } from './statement/shown-processes.ts'
import { createStatementHandler } from './statement/statement-handler.ts'
import { createStatementSlots } from './statement/statement-slots.ts'
import { createHealth } from './status/health.ts'
import { createStatusReport } from './status/status.ts'
import { createUsage } from './status/usage.ts'

export interface Replica {
  readonly server: Server
  /** How often the control plane has asked for the replica's status. */
  asked(): number
  /** Lets running statements end, for as long as the spec allows, and closes the engine. */
  end(): Promise<void>
}

/** Leaves libuv threads for files, compression, and the replica's own statements. */
const maxStatements = 200
const maxWaiting = 1_000

/** Opens the engine and composes the replica, which serves once the caller makes `server` listen. */
export async function createReplica({
  spec,
  library,
  isolation,
  egress,
  log,
  onCrash,
}: {
  spec: ReplicaSpec
  library: Library
  /** What confines this process, as the status reports it. */
  isolation: string
  /** Where SQL on this replica may connect to. */
  egress: Egress
  log: Log
  /** Called when the engine will never answer again, so that only the end of this process helps. */
  onCrash: (error: Error) => void
}): Promise<Replica> {
  setFilter(spec)
  const paths = prepareEngine(spec)
  const fifos = createFifos(paths.fifosDir)
  // The FIFOs are created while the engine opens.
  fifos.prepare()
  const connections = createConnections({
    library,
    directory: paths.dataDir,
    firstArgs: [`--config-file=${paths.configFile}`],
    onCrash,
  })
  const [version = '', timezone = ''] = (await connections.run('SELECT version(), timezone()'))
    .trim()
    .split('\t')
  const follower =
    spec.role === 'reader'
      ? createCatalogFollower({ dataDir: spec.dataDir, run: connections.run, log })
      : {
          start: async () => undefined,
          stop: async () => undefined,
          seesUntilMs: () => undefined,
          error: () => '',
        }
  await follower.start()
  const dictionaries = createDictionaryLifetimes({ run: connections.run, log })
  dictionaries.start()

  const statements = createRunningStatements(connections.run)
  const processes = createShownProcesses(statements, connections.parse)
  const { withoutSecrets } = processes
  const queryLog = createQueryLog({ run: connections.run, withoutSecrets, spoolDir: paths.spoolDir, log })
  // The log's table exists before a client could create one of that name.
  await queryLog.flush()
  const sessions = createSessions(connections)
  const usage = createUsage(spec)
  let isDraining = false
  const status = createStatusReport({
    ...{ spec, version, isolation, usage, statements, run: connections.run },
    egressMissing: egress.missing,
    health: createHealth({ probe: connections.probe }),
    isDraining: () => isDraining,
    catalogError: follower.error,
    seesUntilMs: follower.seesUntilMs,
  })
  const handleStatement = createStatementHandler({
    ...{
      connections,
      sessions,
      statements,
      processes,
      queryLog,
      usage,
      fifos,
      egress,
      version,
      timezone,
      spoolDir: paths.spoolDir,
    },
    resultFifos: createResultFifos(fifos),
    directories: [paths.dataDir, spec.workDir, spec.dataDir],
    slots: createStatementSlots({ max: maxStatements, maxWaiting }),
    isReader: spec.role === 'reader',
  })
  const drain = () => {
    isDraining = true
  }
  const backups = createBackupJobs({
    ...{ connections, egress, log, home: spec.backupsDir, reach: paths.backupsDir },
  })
  const server = createHttpServer({ handleStatement, status, backups, drain, isDraining: () => isDraining })

  async function end(): Promise<void> {
    drain()
    // Statements and backups that still run after `drainMs` are cancelled.
    const timer = setTimeout(() => {
      statements.cancelAll()
      backups.cancelAll()
    }, spec.drainMs)
    await Promise.all([statements.idle(), backups.idle()])
    clearTimeout(timer)
    await Promise.all([follower.stop(), dictionaries.stop()])
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1_000).unref())])
    server.closeAllConnections()
    sessions.close()
    await connections.close()
  }

  return { server, asked: () => status.asked, end }
}
