import type { Result } from '../../api/operations.ts'
import { Chip } from '../../kit/chip.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Silo } from '../../kit/silo.tsx'
import { serviceLooks } from '../../kit/states.ts'
import { formatDuration } from '../../lib/durations.ts'
import { formatCount, formatGb, gbOfBytes } from '../../lib/numbers.ts'
import { replicaName } from '../../lib/replica-name.ts'

type Service = Result<'services.get'>
type Replica = Service['resources']['replicas'][number]

const roles: Record<Replica['role'], string> = { writer: 'Writer', reader: 'Reader', peer: 'Replica' }

/** Each replica: what it is for, the memory in use, and what it has done since its start. */
export function ReplicasPanel({ service }: { service: Service }) {
  const { replicas } = service.resources
  const serving = replicas.filter(({ serving }) => serving).length
  return (
    <Panel
      title="Replicas"
      note={replicas.length > 0 ? `${serving} of ${service.numReplicas} serve, sharing one store` : undefined}
    >
      {replicas.length === 0 ? (
        <Empty icon="service" title={`None of ${service.numReplicas} runs.`}>
          {service.state === 'idle'
            ? 'The next query wakes them.'
            : `The service is ${serviceLooks[service.state].word.toLowerCase()}.`}
        </Empty>
      ) : (
        <ul class="service-replicas">
          {replicas.map((replica) => (
            <ReplicaItem key={replica.id} replica={replica} name={replicaName(service, replica.id)} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function ReplicaItem({ replica, name }: { replica: Replica; name: string }) {
  const { role, serving, memoryBytes, memoryLimitBytes, runningQueries, queries, uptimeSeconds, restarts } =
    replica
  const share = memoryLimitBytes > 0 ? memoryBytes / memoryLimitBytes : 0
  return (
    <li class="service-replica">
      <Silo state={serving ? 'serves' : 'broken'} share={share} isWriter={role === 'writer'} isBig />
      <div>
        <h3>
          {name} <Chip>{roles[role]}</Chip>
        </h3>
        <p class="service-memory">
          {formatGb(gbOfBytes(memoryBytes))} <small>of {formatGb(gbOfBytes(memoryLimitBytes))} GB</small>
        </p>
        <p class="muted">
          {runningQueries} running, {formatCount(queries)} queries
          <br />
          up {formatDuration(uptimeSeconds * 1000)}, {restarts === 0 ? 'no restarts' : `${restarts} restarts`}
        </p>
      </div>
    </li>
  )
}
