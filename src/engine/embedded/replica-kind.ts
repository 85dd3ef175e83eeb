import { fileURLToPath } from 'node:url'
import { makeDirectory } from '../../lib/durable-file.ts'
import type { WorkerKind } from '../../process/supervise/kind.ts'
import type { FoundWorker, Supervisor, WorkerProcess } from '../../process/supervise/supervisor.ts'
import { type ReplicaSpec, type ReplicaStatus, replicaFile } from './protocol.ts'
import { createReplicaClient } from './replica-client.ts'
import type { Runtime } from './runtime.ts'

export type ReplicaKind = WorkerKind<ReplicaSpec, ReplicaStatus>
export type ReplicaProcess = WorkerProcess<ReplicaSpec, ReplicaStatus>
export type ReplicaSupervisor = Supervisor<ReplicaSpec, ReplicaStatus>
export type FoundReplica = FoundWorker<ReplicaSpec, ReplicaStatus>

/** The script that every replica runs. */
export const replicaScript = fileURLToPath(new URL('./replica/main.ts', import.meta.url))

/** Replicas, as the supervision of worker processes sees them. */
export function createReplicaKind({ command, args, library }: Runtime): ReplicaKind {
  return {
    name: 'replica',
    script: replicaScript,
    specFile: replicaFile,
    logFile: 'replica.log',
    command: { program: command, before: args, after: library === '' ? [] : [library] },
    // Each statement that waits blocks a thread.
    environment: { UV_THREADPOOL_SIZE: '256' },
    // What the writer will sync into its directory is safe only if the directory itself is.
    prepare: ({ dataDir }) => makeDirectory(dataDir),
    connect: createReplicaClient,
    isWell: ({ engineError }) => !engineError,
    isDraining: ({ draining }) => draining,
    greet(spec, { isolation }, log) {
      // A replica of an earlier version does not tell.
      if (isolation?.startsWith('none'))
        log.warn({ ...namesOf(spec), isolation }, 'a replica is not confined')
    },
    namesOf,
  }
}

function namesOf({ replicaId, epoch, warehouseId }: ReplicaSpec): object {
  return { replicaId, epoch, warehouseId }
}
