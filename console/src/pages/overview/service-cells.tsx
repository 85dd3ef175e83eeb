import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { Icon } from '../../kit/icon.tsx'
import { LabelledMeter } from '../../kit/meter.tsx'
import { type SiloProps, Silos } from '../../kit/silo.tsx'
import { Sparkline } from '../../kit/sparkline.tsx'
import { serviceLooks, verificationLooks } from '../../kit/states.ts'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { lastOf, perSecond } from '../../lib/courses.ts'
import { formatBytes, formatExact, formatGb, formatRate, gbOfBytes } from '../../lib/numbers.ts'

type Service = Result<'services.list'>[number]

/** A list has no figures of use: each row that is in view reads its own service. */
const useDetails = ({ id }: Service) =>
  useResource('services.get', { params: { serviceId: id } }, { pace: 'slow' }).data.value

const useHistory = ({ id }: Service) =>
  useResource('services.history', { params: { serviceId: id }, query: { range: '24h' } }).data.value

/** The fullest replica of what it may use. */
export function MemoryCell({ service }: { service: Service }) {
  const replicas = useDetails(service)?.resources.replicas ?? []
  const limit = service.currentScaling.replicaMemoryGb || service.minReplicaMemoryGb
  if (replicas.length === 0) {
    return (
      <LabelledMeter share={0}>
        <span class="muted">none of {formatGb(limit)} GB</span>
      </LabelledMeter>
    )
  }
  const used = Math.max(...replicas.map(({ memoryBytes }) => gbOfBytes(memoryBytes)))
  return (
    <LabelledMeter share={used / limit}>
      {formatGb(used)} of {formatGb(limit)} GB
    </LabelledMeter>
  )
}

export function ReplicasCell({ service }: { service: Service }) {
  return <Silos silos={silosOf(service, useDetails(service)?.resources.replicas ?? [])} />
}

/** Writer first; replicas that do not run are dashed, and ember where they should serve. */
function silosOf(service: Service, replicas: Service['resources']['replicas']): SiloProps[] {
  const shown = [...replicas].sort(
    (one, other) => Number(other.role === 'writer') - Number(one.role === 'writer'),
  )
  const drawn = shown.map(({ role, serving, memoryBytes, memoryLimitBytes }): SiloProps => {
    const share = memoryLimitBytes > 0 ? memoryBytes / memoryLimitBytes : 0
    return { state: serving ? 'serves' : 'off', share, isWriter: role === 'writer' }
  })
  const missing = serviceLooks[service.state].hue === 'warn' ? 'broken' : 'off'
  while (drawn.length < service.numReplicas) {
    drawn.push({ state: missing, share: 0, isWriter: drawn.length === 0 && service.isPrimary })
  }
  return drawn
}

export function QueriesCell({ service }: { service: Service }) {
  const history = useHistory(service)
  const course = history && perSecond(history.queries, history.stepSeconds)
  const last = lastOf(course)
  if (!course || last === null || service.state === 'idle' || service.state === 'stopped') {
    return <span class="muted">–</span>
  }
  return (
    <span class="overview-course">
      <Sparkline values={course} />
      <b>{formatRate(last)}</b>
    </span>
  )
}

export function StoredCell({ service }: { service: Service }) {
  const details = useDetails(service)
  const history = useHistory(service)
  const now = details && details.resources.replicas.length > 0 ? details.resources.storedBytes : null
  const stored = now ?? lastOf(history?.storedBytes)
  if (stored === null) return <span class="muted">–</span>
  return <span title={`${formatExact(stored)} bytes`}>{formatBytes(stored)}</span>
}

export function BackupCell({ service }: { service: Service }) {
  const all = useResource('organizations.backups').data.value
  const own = all?.find(({ serviceId }) => serviceId === service.id)
  if (own?.running) return <span class="muted">in progress</span>
  const { newest } = own ?? {}
  if (!newest) return <span class="muted">{all ? 'none yet' : '–'}</span>
  const look =
    newest.status === 'error'
      ? verificationLooks.damaged
      : (verificationLooks[newest.verification.status] ?? verificationLooks.none)
  return (
    <span class="overview-tick" data-hue={look.hue} title={look.word}>
      <Icon name={look.icon} size="small" />
      <span class="sr">{look.word}, </span>
      <TimeAgo at={newest.startedAt} />
    </span>
  )
}
