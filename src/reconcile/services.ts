import { enginePower, wantedMemoryGb } from '../domain/service/automatic.ts'
import { decideService, type ServiceDecision } from '../domain/service/decide.ts'
import { isElsewhere } from '../domain/service/holder.ts'
import type { ServiceRecord, ServiceStatus } from '../domain/service/types.ts'
import type { Engine, EngineObservation, EngineRef, EngineSpec } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Claim } from '../lib/work-queue.ts'
import type { Store } from '../store/store.ts'
import { type StateChange, writeWithActivity } from './audit.ts'
import type { Automatic } from './automatic.ts'
import type { PurgeBackups } from './backup/removal.ts'
import type { HistoryRecorder } from './history.ts'
import type { Loop } from './loop.ts'

const gib = 1024 ** 3
/** How soon a control plane looks again at an unsettled service whose data is on another machine. */
const elsewhereMs = 1_000
/** How often a settled service is looked at again, to find changes that came without an intent. */
const resyncMs = 60 * 60_000
/** How soon an endpoint that could not be opened is tried again. */
const unreachableMs = 5_000

/** The endpoints of services. Each opens as soon as its service exists, so that a query can wake the service. */
export interface Endpoints {
  open(service: { serviceId: string; port: number }): void
  close(serviceId: string): void
  /** Why the endpoint could not be opened at the last try; '' = it is open, or was not tried yet. */
  problem(serviceId: string): string
  /** Called when the record of the service may have changed. */
  refresh(serviceId: string): void
}

export interface ServiceLoopParts {
  store: Store
  engine: Engine
  clock: Clock
  /** Absent where no client connects. */
  endpoints?: Endpoints
  automatic?: Automatic
  /** Absent = nothing is recorded. */
  history?: Pick<HistoryRecorder, 'service'>
  /** Removes the local backups of a warehouse; absent where no backups are made. */
  purgeBackups?: PurgeBackups
  /** The id of this data plane, when data stays where it was first written; '' = any may run any service. */
  dataPlaneId?: string
}

/** Brings services to their desired state: observe, decide, act, and keep the reason. */
export function createServiceLoop({
  store,
  engine,
  clock,
  endpoints,
  automatic,
  history,
  purgeBackups = async () => '',
  dataPlaneId = '',
}: ServiceLoopParts): Loop {
  const pollMs = Math.max(200, Math.min(5_000, engine.capabilities().startEstimateMs / 4))

  return {
    kind: 'service',
    async reconcile(id, { claim }) {
      const service = await store.services.find(id)
      if (!service) {
        forget(id)
        return { reason: 'the service no longer exists', gone: true }
      }
      const { status } = service
      if (isElsewhere(service, dataPlaneId)) {
        const settled = status.observedGeneration === service.generation
        const againAfterMs = spread(settled ? resyncMs : elsewhereMs)
        return { reason: 'another machine holds its data', againAfterMs }
      }
      endpoints?.open({ serviceId: id, port: service.endpointPort })
      const observed = await engine.observe(refOf(service))
      history?.service(service, observed)
      const unreachable = endpoints?.problem(id) ?? ''
      const decision = withEndpoint(decideService(service, observed), unreachable)
      const outcome = await act(service, decision, claim)
      await save(service, outcome, observed, claim)
      endpoints?.refresh(id)
      if (outcome.action === 'forget') {
        forget(id)
        return { reason: outcome.reason, gone: true }
      }
      const { action, state, reason } = outcome
      if (unreachable !== '') return { reason, againAfterMs: unreachableMs }
      if (action !== 'none') return { reason, againAfterMs: pollMs }
      if (state !== 'running' || !automatic) return { reason, againAfterMs: spread(resyncMs) }
      return { reason, ...(await automatic.consider(service, observed)) }
    },
    async failed(id, { claim }, { reason, terminal }) {
      const service = await store.services.find(id)
      if (!service) return
      const { status } = service
      const failed = { state: 'failed' as const, sinceMs: clock.now() }
      await saveStatus(service, { ...status, ...(terminal ? failed : {}), reason }, claim)
    },
  }

  function forget(id: string) {
    endpoints?.close(id)
    automatic?.forget(id)
  }

  async function act(
    service: ServiceRecord,
    decision: ServiceDecision,
    claim: Claim,
  ): Promise<ServiceDecision> {
    switch (decision.action) {
      case 'apply': {
        const result = await engine.apply(toEngineSpec(service))
        if ('accepted' in result) return decision
        // A refusal leaves a service that never ran waiting, and makes one that has run failed.
        const state = service.status.provisioned ? 'failed' : 'provisioning'
        return { action: result.retryable ? 'wait' : 'none', state, reason: result.refused }
      }
      case 'destroy':
        await engine.destroy(refOf(service), service.isPrimary ? 'purge' : 'keep')
        return decision
      case 'forget': {
        const left = service.isPrimary ? await purgeBackups(service, claim) : ''
        if (left !== '') return { action: 'wait', state: decision.state, reason: left }
        const change = changeOf(service, 'service_deleted', '', decision.reason)
        await writeWithActivity({ store, clock }, change, ({ services }) => services.remove(service, claim))
        return decision
      }
      default:
        return decision
    }
  }

  async function save(
    service: ServiceRecord,
    outcome: ServiceDecision,
    observed: EngineObservation,
    claim: Claim,
  ) {
    if (outcome.action === 'forget') return
    const { status } = service
    const serving = observed.replicas.filter((replica) => replica.canRead)
    const memoryBytes = Math.max(0, ...serving.map((replica) => replica.memoryBytes))
    const same = outcome.state === status.state
    const next: ServiceStatus = {
      state: outcome.state,
      reason: outcome.reason,
      sinceMs: same ? status.sinceMs : clock.now(),
      observedGeneration: service.generation,
      dbVersion: observed.version || status.dbVersion,
      provisioned: status.provisioned || serving.length > 0,
      current: { numReplicas: serving.length, replicaMemoryGb: memoryBytes / gib },
      ...(dataPlaneId === '' ? {} : { dataPlaneId }),
    }
    if (JSON.stringify(next) !== JSON.stringify(status)) await saveStatus(service, next, claim)
  }

  function saveStatus(service: ServiceRecord, next: ServiceStatus, claim: Claim): Promise<void> {
    const change = changeOf(service, 'service_state', next.state, next.reason)
    return writeWithActivity({ store, clock }, change, ({ services }) =>
      services.saveStatus(service, next, claim),
    )
  }
}

/** A service whose endpoint cannot be opened is degraded, even if its replicas run. */
function withEndpoint(decision: ServiceDecision, problem: string): ServiceDecision {
  if (problem === '' || decision.state !== 'running') return decision
  return { ...decision, state: 'degraded', reason: `its endpoint cannot be opened: ${problem}` }
}

const changeOf = (
  service: ServiceRecord,
  type: StateChange['type'],
  after: string,
  reason: string,
): StateChange => ({
  type,
  organizationId: service.organizationId,
  serviceId: service.id,
  resourceId: service.id,
  before: service.status.state,
  after,
  reason,
})

/** Spreads due times, so that services that settle together do not come due together. */
const spread = (ms: number): number => Math.round(ms * (0.75 + Math.random() / 2))

const refOf = ({ id, warehouseId }: ServiceRecord): EngineRef => ({ serviceId: id, warehouseId })

function toEngineSpec({ id, warehouseId, generation, isPrimary, spec }: ServiceRecord): EngineSpec {
  return {
    serviceId: id,
    warehouseId,
    generation,
    power: enginePower(spec),
    replicas: spec.numReplicas,
    memoryBytesPerReplica: wantedMemoryGb(spec) * gib,
    role: isPrimary ? 'primary' : 'secondary',
    durableInserts: spec.durableInserts ?? true,
    restoreFrom: spec.restoredFrom,
  }
}
