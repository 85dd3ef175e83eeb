import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../../../lib/running.ts'
import type { Policy } from '../../../../process/confine/confine.ts'
import { machineFiles } from '../../../../process/confine/machine-files.ts'
import { confineWorker } from '../../../../process/worker/confine-worker.ts'
import { jobRoomParts, type ReplicaSpec } from '../../protocol.ts'

/** Confines the process of a replica to its warehouse, before the engine opens anything. Returns what confines it. */
export function confineReplica(spec: ReplicaSpec, library: string, log: Log): string {
  const { role, backupsDir, isolation } = spec
  if (role === 'writer' && isolation !== 'off')
    mkdirSync(join(backupsDir, jobRoomParts.lent), { recursive: true, mode: 0o700 })
  return confineWorker(replicaPolicy(spec, library), isolation, log)
}

export function replicaPolicy(spec: ReplicaSpec, library: string): Policy {
  const { role, dataDir, workDir, backupsDir, socketPath } = spec
  const isWriter = role === 'writer'
  return {
    read: [
      ...(isWriter ? [join(backupsDir, jobRoomParts.lent)] : [dataDir]),
      ...(library === '' ? [] : [library]),
      ...[process.execPath, sources],
      ...machineFiles,
    ],
    write: [workDir, ...(isWriter ? [dataDir, join(backupsDir, jobRoomParts.made)] : [])],
    devices: ['/dev/null'],
    sockets: [dirname(socketPath)],
  }
}

const sources = fileURLToPath(new URL('../../../..', import.meta.url))
