import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may, organization } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { Button } from '../../kit/button.tsx'
import { CheckField } from '../../kit/check-field.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { Panel } from '../../kit/panel.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { TextField } from '../../kit/text-field.tsx'
import { navigate } from '../../lib/address.ts'
import { useQuery } from '../../lib/url-state.ts'
import { PasswordDialog } from '../service/password-dialog.tsx'

interface Values {
  name: string
  tier: 'production' | 'development'
  minReplicaMemoryGb: number | null
  maxReplicaMemoryGb: number | null
  numReplicas: number | null
  idleScaling: boolean
  idleTimeoutMinutes: number | null
  access: 'here' | 'everywhere'
}

/** A new service, empty or with the data of a backup. */
export function NewServicePage() {
  const backup = useQuery('backup').value
  const isBasic = organization.value?.tier === 'BASIC'
  const form = useForm<Values>({
    ...{ name: '', tier: 'production', minReplicaMemoryGb: 8, maxReplicaMemoryGb: 16 },
    ...{ numReplicas: isBasic ? 1 : 3, idleScaling: true, idleTimeoutMinutes: 15, access: 'here' },
  })
  const made = useSignal<Result<'services.create'> | null>(null)
  const { values } = form
  const create = async (wanted: Values) => {
    made.value = await call('services.create', { body: bodyOf(wanted, backup) })
    form.reset(wanted)
    refresh('services.list')
  }
  if (!may('services:create')) {
    return (
      <Page title="New service">
        <Notice hue="rest">This key only reads: it cannot make services.</Notice>
      </Page>
    )
  }
  const isDevelopment = values.value.tier === 'development'
  return (
    <Page title="New service" lead={sentenceOf(values.value)}>
      <Form form={form} label="New service" onSubmit={create} isGuarded={made.value === null}>
        <Panel title="Name and tier" isPadded>
          <TextField label="Name" {...form.field('name')} />
          <SelectField
            label="Tier"
            options={[
              { value: 'production', name: 'Production: scales its memory' },
              { value: 'development', name: 'Development: small and fixed' },
            ]}
            {...form.field('tier')}
          />
        </Panel>
        <Panel title="Size and sleep" isPadded>
          {!isDevelopment && (
            <div class="service-pair">
              <NumberField
                label="Least memory per replica"
                unit="GB"
                step={4}
                hint="Multiples of 4, from 8."
                {...form.field('minReplicaMemoryGb')}
              />
              <NumberField
                label="Most memory per replica"
                unit="GB"
                step={4}
                hint="Up to 120; 356 when paid."
                {...form.field('maxReplicaMemoryGb')}
              />
            </div>
          )}
          <NumberField
            label="Replicas"
            step={1}
            hint={isBasic ? 'Exactly 1 in the tier Basic.' : '2 to 20; 1 to 20 in the tier Enterprise.'}
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
              hint="At least 5 min without a query."
              {...form.field('idleTimeoutMinutes')}
            />
          )}
        </Panel>
        <Panel title="Who may connect" isPadded>
          <SelectField
            label="Addresses"
            hint="Both can be changed later."
            options={[
              { value: 'here', name: 'Only this machine' },
              { value: 'everywhere', name: 'Every address' },
            ]}
            {...form.field('access')}
          />
        </Panel>
        {backup !== '' && <FromBackup backupId={backup} />}
        <div class="actions">
          <Button submit tone="primary" isBusy={form.isSaving.value}>
            New service
          </Button>
          <Button href="/">Cancel</Button>
        </div>
      </Form>
      {made.value && <Made made={made.value} />}
    </Page>
  )
}

function bodyOf(values: Values, backupId: string) {
  const { name, tier, numReplicas, idleScaling, idleTimeoutMinutes } = values
  const { minReplicaMemoryGb, maxReplicaMemoryGb } = values
  const sources = values.access === 'here' ? ['127.0.0.1', '::1'] : ['0.0.0.0/0', '::/0']
  return {
    ...{ name, tier, idleScaling, ipAccessList: sources.map((source) => ({ source, description: '' })) },
    ...(numReplicas === null ? {} : { numReplicas }),
    ...(idleScaling && idleTimeoutMinutes !== null ? { idleTimeoutMinutes } : {}),
    ...(tier === 'production' && minReplicaMemoryGb !== null ? { minReplicaMemoryGb } : {}),
    ...(tier === 'production' && maxReplicaMemoryGb !== null ? { maxReplicaMemoryGb } : {}),
    ...(backupId === '' ? {} : { backupId }),
  }
}

/** `3 replicas of 8 to 16 GB, at most 48 GB, asleep after 15 min`. */
function sentenceOf(values: Values): string {
  const { numReplicas, minReplicaMemoryGb: least, maxReplicaMemoryGb: most, tier } = values
  const replicas = `${numReplicas ?? '?'} ${numReplicas === 1 ? 'replica' : 'replicas'}`
  const size =
    tier === 'development'
      ? ''
      : ` of ${least ?? '?'} to ${most ?? '?'} GB, at most ${(numReplicas ?? 0) * (most ?? 0)} GB`
  const sleep = values.idleScaling
    ? `, asleep after ${values.idleTimeoutMinutes ?? '?'} min`
    : ', never asleep'
  return `${replicas}${size}${sleep}.`
}

function FromBackup({ backupId }: { backupId: string }) {
  const backups = useResource('organizations.backups').data.value ?? []
  const from = backups.find(
    ({ newest, newestGood }) => newest?.id === backupId || newestGood?.id === backupId,
  )
  return (
    <Notice hue="busy" icon="backup" title="It begins with the data of a backup.">
      {from ? `Of ${from.serviceName}.` : ''} <code>{backupId}</code>
    </Notice>
  )
}

function Made({ made: { service, password } }: { made: Result<'services.create'> }) {
  const [endpoint] = service.endpoints
  return (
    <PasswordDialog
      service={service.name}
      user={endpoint?.username ?? 'default'}
      password={password}
      onClose={() => void navigate(`/services/${service.id}`)}
    />
  )
}
