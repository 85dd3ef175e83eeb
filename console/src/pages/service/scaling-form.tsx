import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { may, organization } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { CheckField } from '../../kit/check-field.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { Panel } from '../../kit/panel.tsx'

type Service = Result<'services.get'>

interface Scaling {
  minReplicaMemoryGb: number | null
  maxReplicaMemoryGb: number | null
  numReplicas: number | null
  idleScaling: boolean
  idleTimeoutMinutes: number | null
}

const scalingOf = (service: Service): Scaling => ({
  minReplicaMemoryGb: service.minReplicaMemoryGb,
  maxReplicaMemoryGb: service.maxReplicaMemoryGb,
  numReplicas: service.numReplicas,
  idleScaling: service.idleScaling,
  idleTimeoutMinutes: service.idleTimeoutMinutes,
})

/** The bounds of automatic scaling. What a change will do is said before it is saved. */
export function ScalingForm({ service }: { service: Service }) {
  const form = useForm<Scaling>(scalingOf(service))
  const { values, changes } = form
  if (!may('services:manage', service.id)) return <ReadOnly service={service} />
  const save = async () => {
    const body = Object.fromEntries(changes.value.map((name) => [name, values.value[name]]))
    const saved = await call('services.updateReplicaScaling', { params: { serviceId: service.id }, body })
    form.reset(scalingOf(saved))
    refresh('services.get', 'services.list')
  }
  const count = changes.value.length
  return (
    <Panel title="Scaling" note="automatic within these bounds" isPadded>
      <Form form={form} label="Scaling" onSubmit={save} isGuarded>
        {service.tier === 'development' ? (
          <p class="muted">
            Memory: {service.minReplicaMemoryGb} GB. A development service does not scale its memory.
          </p>
        ) : (
          <>
            <div class="service-pair">
              <NumberField
                label="Least memory per replica"
                unit="GB"
                min={8}
                max={356}
                step={4}
                {...form.field('minReplicaMemoryGb')}
              />
              <NumberField
                label="Most memory per replica"
                unit="GB"
                min={8}
                max={356}
                step={4}
                {...form.field('maxReplicaMemoryGb')}
              />
            </div>
            <p class="muted">
              Multiples of 4, from 8 to 120 GB; up to 356 when the organization is paid.{' '}
              {service.currentScaling.replicaMemoryGb > 0 &&
                `${service.currentScaling.replicaMemoryGb} GB in force.`}
            </p>
          </>
        )}
        <NumberField
          label="Replicas"
          min={1}
          max={20}
          step={1}
          hint={replicasHint()}
          {...form.field('numReplicas')}
        />
        <CheckField
          label="Sleep when idle"
          isSwitch
          hint="The next query wakes it, in a fraction of a second."
          {...form.field('idleScaling')}
        />
        {values.value.idleScaling && (
          <NumberField
            label="After"
            unit="min"
            min={5}
            hint="At least 5 min without a query."
            {...form.field('idleTimeoutMinutes')}
          />
        )}
        {count > 0 && (
          <p class="service-effect" role="status">
            {effectOf(values.value)}
          </p>
        )}
        <div class="actions">
          <Button
            submit
            tone="primary"
            isBusy={form.isSaving.value}
            reason={count === 0 ? 'Nothing is changed.' : null}
          >
            {count > 1 ? `Save ${count} changes` : 'Save'}
          </Button>
          {count > 0 && <Button onPress={() => form.reset()}>Discard</Button>}
        </div>
      </Form>
    </Panel>
  )
}

function replicasHint(): string {
  const tier = organization.value?.tier
  if (tier === 'BASIC') return 'Exactly 1 in the tier Basic.'
  return tier === 'SCALE' ? '2 to 20 for the first service of a warehouse.' : '1 to 20.'
}

function effectOf({ maxReplicaMemoryGb, numReplicas }: Scaling): string {
  const most = (maxReplicaMemoryGb ?? 0) * (numReplicas ?? 0)
  return `At most ${most} GB in all. Replicas are replaced one by one; queries go on.`
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
