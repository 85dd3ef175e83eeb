import type { Engine } from '../engine/engine.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import { createPipeChecks } from '../pipes/checking/create-checks.ts'
import type { PipeChecks } from '../pipes/checks.ts'
import { createRejectedRecords } from '../pipes/destination/read-errors.ts'
import type { ObjectStorageLimits } from '../pipes/object-storage/open-store.ts'
import type { RejectedRecords } from '../pipes/rejected.ts'
import type { PipeRuntime, PipeRuntimeParts } from '../pipes/runtime.ts'
import type { PipeWarehouse } from '../pipes/warehouse.ts'
import type { HistoryRecorder } from '../reconcile/history.ts'
import { createPipeLoop } from '../reconcile/pipes.ts'
import type { Store } from '../store/store.ts'
import type { Part } from './part.ts'

export interface PipesPartOptions {
  store: Store
  engine: Pick<Engine, 'sql'>
  gateway: Pick<Gateway, 'ask'>
  /** The id of the data directory, which holds the files of pipes. */
  dataPlaneId: string
  clock: Clock
  log: Log
  history: Pick<HistoryRecorder, 'pipe'>
  /** Where the sources of pipes may be. */
  limits: ObjectStorageLimits
  /** How long a request waits for a source that is tried. */
  checkPatienceMs: number
  /** Whether what a pipe writes is no reason to keep its service awake. */
  isQuiet(pipeId: string): boolean
  /** null = no pipe runs. */
  open: ((parts: PipeRuntimeParts) => PipeRuntime) | null
}

export interface PipesPart extends Part {
  status: PipeRuntime['status']
  lanes: PipeRuntime['lanes']
  /** Null = no pipe runs. */
  rejected: RejectedRecords | null
  /** Null = no pipe runs. */
  checks: PipeChecks | null
}

/** Pipes fill the tables of services. */
export function createPipesPart(options: PipesPartOptions): PipesPart {
  const { store, engine, gateway, dataPlaneId, clock, log, open, limits, history, isQuiet } = options
  const patienceMs = options.checkPatienceMs
  const runtime = open?.({ warehouseOf, clock, log }) ?? null
  return {
    checks: runtime && createPipeChecks({ checkSource: runtime.check, warehouseOf, limits, patienceMs }),
    rejected: runtime && createRejectedRecords({ warehouseOf }),
    name: 'pipes',
    lanes: (pipeId) => runtime?.lanes(pipeId) ?? [],
    status: (pipeId) => runtime?.status(pipeId) ?? null,
    loops: [createPipeLoop({ store, runtime, dataPlaneId, clock, history })],
    // Workers end with their control process, so every pipe is to be begun again.
    start: async () => {
      if (runtime) await store.work.hasten('pipe')
    },
    hints: (hint) => runtime?.onChange((pipeId) => hint('pipe', pipeId)) ?? (() => {}),
    stop: { jobs: async (hurry) => runtime?.close(hurry) },
  }

  /** Each pipe queries its service under a name of its own. */
  function warehouseOf({ id, serviceId }: { id: string; serviceId: string }): PipeWarehouse {
    return {
      dialect: engine.sql(),
      ask: ({ settings = {}, countsAsActivity = !isQuiet(id), ...question }) =>
        gateway.ask({
          ...question,
          serviceId,
          principal: { name: `pipe:${id}`, role: 'readWrite', settings },
          countsAsActivity,
        }),
    }
  }
}
