import { createAutomatic } from '../reconcile/automatic.ts'
import type { PurgeBackups } from '../reconcile/backup/removal.ts'
import type { HistoryRecorder } from '../reconcile/history.ts'
import { createServiceLoop } from '../reconcile/services.ts'
import { createServiceEndpoints, type ServiceEndpoints, type ServiceEndpointsParts } from './endpoints.ts'
import type { Part } from './part.ts'

export interface ServicesPartOptions extends ServiceEndpointsParts {
  /** What confines the processes that run SQL; '' = there are no processes. */
  isolation: string
  history: Pick<HistoryRecorder, 'service'>
  /** null where no backups are made. */
  purgeBackups: PurgeBackups | null
}

export interface ServicesPart
  extends Part,
    Pick<ServiceEndpoints, 'gateway' | 'openEndpoint' | 'resources' | 'restoreProgress'> {}

/** How long requests to the endpoints may take to end; shorter than the limit of their phase. */
const endpointsStopMs = 8_000

/** Services run as desired and are reached at their endpoints. */
export function createServicesPart({
  isolation,
  purgeBackups,
  history,
  ...shared
}: ServicesPartOptions): ServicesPart {
  const { config, store, engine, dataPlaneId, clock, wake } = shared
  const endpoints = createServiceEndpoints(shared)
  const { gateway } = endpoints
  // Without an engine no service can run: no port is opened, and no service is put to sleep.
  const canRun = engine.kind !== 'none'
  const automatic = createAutomatic({
    store,
    clock,
    wake,
    activity: (serviceId) => gateway.activity(serviceId),
    timeScale: config.timeScale,
  })
  const loop = createServiceLoop({
    ...{ store, engine, clock, dataPlaneId, history },
    ...(canRun ? { endpoints, automatic } : {}),
    ...(purgeBackups ? { purgeBackups } : {}),
  })
  return {
    name: 'services',
    gateway,
    openEndpoint: endpoints.openEndpoint,
    resources: endpoints.resources,
    restoreProgress: endpoints.restoreProgress,
    loops: [loop],
    hints: (hint) =>
      engine.onChange(({ serviceId }) => {
        endpoints.refresh(serviceId)
        hint('service', serviceId)
      }),
    gauges: [
      {
        name: 'granary_isolation',
        help: 'Whether processes that run SQL are confined, and by what.',
        labels: ['by'],
        read: () =>
          isolation === '' ? [] : [{ labels: { by: isolation }, value: isConfined(isolation) ? 1 : 0 }],
      },
    ],
    async start() {
      if (canRun) await endpoints.start()
    },
    stop: {
      requests: () => gateway.stop(endpointsStopMs),
      engine: (hurry) => engine.close(hurry),
    },
  }
}

const isConfined = (isolation: string): boolean => !/^(none|off)/.test(isolation)
