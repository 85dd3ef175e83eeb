import { defaultBackupConfiguration } from '../domain/backup/configuration.ts'
import { inProductTime, nextBackup } from '../domain/backup/schedule.ts'
import { viewBackup } from '../domain/backup/view.ts'
import { visibleServices } from '../domain/key/permissions.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import type { Page } from '../store/store.ts'
import type { BackupView } from './backups.ts'
import type { Caller, ControlContext } from './context.ts'
import { type PageOf, type PageQuery, readPage } from './paging.ts'
import { answerPipe, type PipeAnswer, readLive } from './pipes.ts'
import { readVisible } from './services/read.ts'

export type OrganizationPipeView = PipeAnswer & { serviceName: string }

/** The pipes of all services that the key may see. */
export async function listOrganizationPipes(
  context: ControlContext,
  caller: Caller,
  query: PageQuery,
): Promise<PageOf<OrganizationPipeView>> {
  const { store } = context
  const { organizationId } = caller.key
  const visible = visibleServices(caller.key)
  const read = (page: Page) =>
    readLive((wanted) => store.pipes.listAll(organizationId, visible, wanted), page)
  const page = await readPage({ limit: 1000, ...query }, read, (pipe) => pipe.createdAtMs)
  const services = new Map<string, ServiceRecord>()
  for (const { serviceId } of page.items) {
    if (services.has(serviceId)) continue
    const service = await store.services.get(organizationId, serviceId)
    if (service) services.set(serviceId, service)
  }
  // A pipe whose service has gone since goes with it.
  const items = page.items.flatMap((pipe) => {
    const service = services.get(pipe.serviceId)
    return service ? [{ ...answerPipe(context, { pipe, service }), serviceName: service.spec.name }] : []
  })
  return { ...page, items }
}

export interface ServiceBackupsView {
  serviceId: string
  serviceName: string
  newest: BackupView | null
  newestGood: BackupView | null
  running: BackupView | null
  nextDueAt: string
  reason: string
  bucketPath: string
}

/** The newest backups of each service that has some, and when the next is due. */
export async function listOrganizationBackups(
  context: ControlContext,
  caller: Caller,
  query: PageQuery,
): Promise<PageOf<ServiceBackupsView>> {
  const read = (page: Page) => readVisible(context, caller, page)
  const page = await readPage({ limit: 100, ...query }, read, (service) => service.createdAtMs)
  const primaries = page.items.filter(({ isPrimary }) => isPrimary)
  return { ...page, items: await Promise.all(primaries.map((service) => backupsOf(context, service))) }
}

/** The schedule looks at the backups since the last good one, which are among these. */
const looksAt = 50

async function backupsOf(
  { store, clock, timeScale }: ControlContext,
  service: ServiceRecord,
): Promise<ServiceBackupsView> {
  const { id } = service
  const nowMs = clock.now()
  const records = await store.backups.list(id, { limit: looksAt })
  const running = records.find(({ status }) => status === 'in_progress') ?? (await store.backups.running(id))
  const good = await store.backups.newestGood(id)
  const bucket = await store.backupBuckets.current(id)
  const { dueAtMs, reason } = nextBackup({
    configuration: (await store.services.backupConfiguration(id)) ?? defaultBackupConfiguration,
    backups: records.filter(({ removing }) => !removing).map((record) => inProductTime(record, timeScale)),
    place: bucket?.id ?? 'local',
    createdAtMs: service.createdAtMs * timeScale,
    nowMs: nowMs * timeScale,
  })
  const [newest] = records
  return {
    serviceId: id,
    serviceName: service.spec.name,
    newest: newest ? viewBackup(newest, nowMs) : null,
    newestGood: good && viewBackup(good, nowMs),
    running: running && viewBackup(running, nowMs),
    nextDueAt: new Date(Math.round(dueAtMs / timeScale)).toISOString(),
    reason,
    bucketPath: bucket?.bucketPath ?? '',
  }
}
