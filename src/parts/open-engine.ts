import { type Config, ConfigError } from '../config/load.ts'
import { createAbsentEngine } from '../engine/absent.ts'
import type { BackupRuntime, BackupSource } from '../engine/backup.ts'
import { createEmbeddedEngine } from '../engine/embedded/driver.ts'
import { type Runtime, resolveRuntime } from '../engine/embedded/runtime.ts'
import type { Engine } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import { describeSupport, type Support, supportText } from '../process/confine/confine.ts'
import { findMachine } from '../process/confine/egress-filter.ts'
import type { Isolation } from '../process/confine/isolation.ts'

type LocateBackup = (backupId: string) => Promise<BackupSource | null>

export interface OpenedEngine {
  engine: Engine
  /** null = this engine cannot make backups. */
  backups: BackupRuntime | null
  /**
   * What confines the processes that run SQL: `landlock 7`, `none: <why>`, `off`; '' = there are no processes.
   */
  isolation: string
}

/** Chooses the engine by the configuration. An engine that cannot run here reports why on every service. */
export async function openEngine(
  config: Config,
  { clock, log, locateBackup }: { clock: Clock; log: Log; locateBackup: LocateBackup },
): Promise<OpenedEngine> {
  const absent = (reason: string) => ({
    ...{ engine: createAbsentEngine(reason), backups: null, isolation: '' },
  })
  if (config.engine === 'none') return absent('no warehouse engine runs here (GRANARY_ENGINE=none)')
  const runtime = resolveRuntime({ library: config.engineLibrary })
  if ('missing' in runtime) {
    log.warn({}, `services cannot start on this machine: ${runtime.missing}`)
    return absent(runtime.missing)
  }
  if (runtime.emulated) log.warn({}, 'the engine runs under emulation of another CPU: expect it to be slow')
  const isolation = checkIsolation(config.isolation, supportFor(runtime), log)
  // Under emulation, a further process would cost half a minute of a core and a gigabyte.
  const spares = config.spareReplicas ?? (runtime.emulated ? 0 : 1)
  const { dataDir, egressAllow: egress, sourceEgressAllow: sourceEgress } = config
  const engine = await createEmbeddedEngine({
    ...{
      dataDir,
      isolation: config.isolation,
      egress,
      sourceEgress,
      runtime,
      clock,
      log,
      spares,
      locateBackup,
    },
  })
  return { engine, backups: engine.backups, isolation: `${isolation}${egressGap(isolation, log)}` }
}

const supportFor = ({ emulated }: Runtime): Support =>
  emulated ? { by: 'none', why: 'a process under emulation cannot confine itself' } : describeSupport()

/** '' = the system controls the connections that SQL opens, or nothing is confined anyway. */
function egressGap(isolation: string, log: Log): string {
  const machine = findMachine()
  if (!isolation.startsWith('landlock') || !('missing' in machine)) return ''
  log.warn({ why: machine.missing }, 'connects of SQL are not judged here')
  return `, connects are not judged: ${machine.missing}`
}

/** Logs what confines replicas; if they must be confined and cannot be, the server does not start. */
export function checkIsolation(wanted: Isolation, support: Support, log: Log): string {
  if (wanted === 'off') {
    log.warn({}, 'processes that run SQL are not confined (GRANARY_ISOLATION=off)')
    return 'off'
  }
  if (support.by === 'none' && wanted === 'required') {
    throw new ConfigError([
      `GRANARY_ISOLATION is required, but nothing confines processes here: ${support.why}`,
    ])
  }
  if (support.by === 'none') log.warn({ why: support.why }, 'processes that run SQL cannot be confined here')
  return supportText(support)
}
