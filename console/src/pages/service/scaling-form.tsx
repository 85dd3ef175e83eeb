import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { copyEntries } from '../../kit/call-code.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Form, useFollowing, useForm } from '../../kit/form.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Panel } from '../../kit/panel.tsx'
import { gbOfBytes } from '../../lib/numbers.ts'
import { scaleCommand } from '../../lib/service-commands.ts'
import { counted } from '../../lib/words.ts'
import { type Size, SizeFields } from './size-fields.tsx'

type Service = Result<'services.get'>

const sizeOf = (service: Service): Size => ({
  minReplicaMemoryGb: service.minReplicaMemoryGb,
  maxReplicaMemoryGb: service.maxReplicaMemoryGb,
  numReplicas: service.numReplicas,
  idleScaling: service.idleScaling,
  idleTimeoutMinutes: service.idleTimeoutMinutes,
})

/** The bounds of automatic scaling. What a change will do is said before it is saved. */
export function ScalingForm({ service }: { service: Service }) {
  const form = useForm<Size>(sizeOf(service))
  useFollowing(form, sizeOf(service))
  const peakGb = usePeakGb(service.id)
  const { values, changes } = form
  if (!may('services:manage', service.id)) return <ReadOnly service={service} />
  const body = Object.fromEntries(changes.value.map((name) => [name, values.value[name]]))
  const input = { params: { serviceId: service.id }, body }
  const save = async () => {
    const saved = await call('services.updateReplicaScaling', input)
    form.reset(sizeOf(saved))
    refresh('services.get', 'services.list')
  }
  const count = changes.value.length
  return (
    <Panel title="Scaling" note="automatic within these bounds" isPadded>
      <Form form={form} label="Scaling" onSubmit={save} isGuarded>
        <SizeFields
          form={form}
          fixedMemory={
            service.tier === 'development'
              ? `Memory: ${service.minReplicaMemoryGb} GB. A development service does not scale its memory.`
              : null
          }
          inForceGb={service.currentScaling.replicaMemoryGb}
          peakGb={peakGb}
          isLater={!service.isPrimary}
        />
        <footer class={count === 0 ? 'service-changes' : 'service-changes service-changed'}>
          <p class="service-effect" role="status">
            {count === 0 ? 'No changes' : effectOf(service, values.value)}
          </p>
          <div class="actions">
            {count > 0 && (
              <>
                <Menu
                  label="More of scaling"
                  entries={copyEntries({
                    ...{ id: 'services.updateReplicaScaling', input },
                    granary: scaleCommand(service.id, body),
                  })}
                />
                <Button onPress={() => form.reset()}>Discard</Button>
              </>
            )}
            <Button
              submit
              tone={count === 0 ? 'plain' : 'primary'}
              isBusy={form.isSaving.value}
              reason={count === 0 ? 'Nothing is changed.' : null}
            >
              {count === 0 ? 'Save' : `Save ${counted(count, 'change')}`}
            </Button>
          </div>
        </footer>
      </Form>
    </Panel>
  )
}

/** The most that one replica used in 30 h; 0 while nothing is known. */
function usePeakGb(serviceId: string): number {
  const history = useResource('services.history', { params: { serviceId }, query: { range: '30h' } })
  const used = history.data.value?.replicas.flatMap(({ memoryBytes }) => memoryBytes) ?? []
  return gbOfBytes(used.reduce<number>((most, bytes) => Math.max(most, bytes ?? 0), 0))
}

/** `Most memory 48 → 64 GB. At most 192 GB in all. Replicas are replaced one by one; queries go on.` */
function effectOf(service: Service, wanted: Size): string {
  const changed = (name: string, before: number, after: number | null, unit = '') =>
    before === after ? '' : `${name} ${before} → ${after ?? '?'}${unit}. `
  const isMemory =
    service.minReplicaMemoryGb !== wanted.minReplicaMemoryGb ||
    service.maxReplicaMemoryGb !== wanted.maxReplicaMemoryGb
  const most = (wanted.maxReplicaMemoryGb ?? 0) * (wanted.numReplicas ?? 0)
  return [
    changed('Least memory', service.minReplicaMemoryGb, wanted.minReplicaMemoryGb, ' GB'),
    changed('Most memory', service.maxReplicaMemoryGb, wanted.maxReplicaMemoryGb, ' GB'),
    changed('Replicas', service.numReplicas, wanted.numReplicas),
    `At most ${most} GB in all.`,
    isMemory ? ' Replicas are replaced one by one; queries go on.' : '',
  ].join('')
}

function ReadOnly({ service }: { service: Service }) {
  return (
    <Panel title="Scaling" note="automatic within these bounds" isPadded>
      <Facts
        facts={[
          ['Memory per replica', `${service.minReplicaMemoryGb} to ${service.maxReplicaMemoryGb} GB`],
          ['Replicas', String(service.numReplicas)],
          [
            'Sleep',
            service.idleScaling ? `after ${service.idleTimeoutMinutes} min without a query` : 'never',
          ],
        ]}
      />
    </Panel>
  )
}
