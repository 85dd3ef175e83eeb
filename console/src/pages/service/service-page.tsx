import { AccessPanel } from './access-panel.tsx'
import { ConnectPanel } from './connect-panel.tsx'
import { MemoryPanel } from './memory-panel.tsx'
import { ReplicasPanel } from './replicas-panel.tsx'
import { ScalingForm } from './scaling-form.tsx'
import { ServiceFrame } from './service-frame.tsx'

export function ServicePage({ params: { serviceId } }: { params: { serviceId: string } }) {
  return (
    <ServiceFrame serviceId={serviceId} tab="Overview">
      {(service) => (
        <div class="split">
          <div class="stack">
            <ReplicasPanel service={service} />
            <MemoryPanel service={service} />
            <ConnectPanel service={service} />
          </div>
          <div class="stack">
            <ScalingForm key={serviceId} service={service} />
            <AccessPanel service={service} />
          </div>
        </div>
      )}
    </ServiceFrame>
  )
}
