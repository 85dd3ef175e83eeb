import { realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { makeDirectory } from '../../lib/durable-file.ts'
import { openSocketDirectory, socketIn } from '../../process/supervise/socket-directory.ts'
import { isName } from './protocol.ts'

/**
 * Where everything lies. `<dataDir>/warehouses/<warehouseId>/` holds `data/` (what the writer opens),
 * `services/<serviceId>.json` (what was accepted) and `replicas/<replicaId>.<epoch>/` (one process each). A
 * warehouse that is being purged lies in `.trash`, spare processes work in `.spares` until they become replicas.
 * Names with a dot in front are never warehouses. Backups lie in
 * `<dataDir>/backups/<backupId>/`, and what a writer reaches of them in `.jobs/<replicaId>.<epoch>/` there; `restore.json` tells whether a warehouse that begins with one is filled.
 */
export interface Layout {
  root: string
  trash: string
  spares: string
  socketDir: string
  backups: string
  /** What each writer process reaches of the backups. */
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
  /** Whose working directory this is; null = not one of ours. */
  parseWorkDir(path: string): { warehouseId: string; replicaId: string; epoch: number } | null
}

export async function openLayout(dataDir: string): Promise<Layout> {
  await makeDirectory(join(dataDir, 'warehouses'))
  // One name, however it was reached: command lines and sockets are compared by it after a restart.
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
