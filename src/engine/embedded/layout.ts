import { realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { makeDirectory } from '../../lib/durable-file.ts'
import { openSocketDirectory, socketIn } from '../../process/supervise/socket-directory.ts'
import { isName } from './protocol.ts'

/**
 * The paths of the data directory. `<dataDir>/warehouses/<warehouseId>/` holds `data/` (opened by the
 * writer), `services/<serviceId>.json` (the accepted specs), `replicas/<replicaId>.<epoch>/` (one per
 * process) and, in a warehouse that began with a backup, `restore.json` (whether the restore is done). A
 * warehouse that is being purged is in `.trash`; spare processes work in `.spares` until they become
 * replicas. Names that begin with a dot are never warehouses. Backups are in `<dataDir>/backups/<backupId>/`,
 * and the part of them that a writer can reach is in `.jobs/<replicaId>.<epoch>/` there.
 */
export interface Layout {
  root: string
  trash: string
  spares: string
  socketDir: string
  backups: string
  /** One directory for each writer process, with the backups that it can reach. */
  jobs: string
  jobRoom(replicaId: string, epoch: number): string
  warehouse(warehouseId: string): string
  data(warehouseId: string): string
  services(warehouseId: string): string
  restoreFile(warehouseId: string): string
  specFile(ref: { serviceId: string; warehouseId: string }): string
  replicas(warehouseId: string): string
  workDir(warehouseId: string, replicaId: string, epoch: number): string
  socket(replicaId: string, epoch: number): string
  /** The replica whose working directory this is; null = not one of ours. */
  parseWorkDir(path: string): { warehouseId: string; replicaId: string; epoch: number } | null
}

export async function openLayout(dataDir: string): Promise<Layout> {
  await makeDirectory(join(dataDir, 'warehouses'))
  // The canonical path: after a restart, command lines and sockets are compared by it.
  const root = await realpath(join(dataDir, 'warehouses'))
  await makeDirectory(join(dataDir, 'backups'))
  return layoutOf(root, await openSocketDirectory(root), await realpath(join(dataDir, 'backups')))
}

export function layoutOf(root: string, socketDir: string, backups = join(root, '../backups')): Layout {
  const warehouse = (warehouseId: string) => join(root, warehouseId)
  return {
    root,
    trash: join(root, '.trash'),
    spares: join(root, '.spares'),
    socketDir,
    backups,
    jobs: join(backups, '.jobs'),
    jobRoom: (replicaId, epoch) => join(backups, '.jobs', `${replicaId}.${epoch}`),
    warehouse,
    data: (warehouseId) => join(warehouse(warehouseId), 'data'),
    restoreFile: (warehouseId) => join(warehouse(warehouseId), 'restore.json'),
    services: (warehouseId) => join(warehouse(warehouseId), 'services'),
    specFile: ({ serviceId, warehouseId }) => join(warehouse(warehouseId), 'services', `${serviceId}.json`),
    replicas: (warehouseId) => join(warehouse(warehouseId), 'replicas'),
    workDir: (warehouseId, replicaId, epoch) =>
      join(warehouse(warehouseId), 'replicas', `${replicaId}.${epoch}`),
    socket: (replicaId, epoch) => socketIn(socketDir, `${replicaId}.${epoch}`),
    parseWorkDir(path) {
      const [warehouseId, folder, name, ...rest] = relative(root, path).split(sep)
      const [, replicaId, epoch] = /^([\w-]+)\.(\d+)$/.exec(name ?? '') ?? []
      if (!warehouseId || !isName(warehouseId) || folder !== 'replicas' || rest.length > 0) return null
      return replicaId && epoch ? { warehouseId, replicaId, epoch: Number(epoch) } : null
    },
  }
}
