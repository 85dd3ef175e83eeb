import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { CallCode, type ShownCall } from '../../kit/call-code.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Panel } from '../../kit/panel.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { TextField } from '../../kit/text-field.tsx'
import { navigate } from '../../lib/address.ts'
import { createCommand } from '../../lib/service-commands.ts'
import { useQuery } from '../../lib/url-state.ts'
import './new-service.css'
import { PasswordDialog } from '../service/password-dialog.tsx'
import { defaultSize, type Size, SizeFields, sizeBody, sizeWords } from '../service/size-fields.tsx'

interface Values extends Size {
  name: string
  tier: 'production' | 'development'
  access: 'here' | 'everywhere'
}

/** A new service, empty or with the data of a backup. */
export function NewServicePage() {
  const backup = useQuery('backup').value
  const form = useForm<Values>({ name: '', tier: 'production', access: 'here', ...defaultSize() })
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
        <ReadsOnly lacks="services:create" cannot="make services" />
      </Page>
    )
  }
  const isDevelopment = values.value.tier === 'development'
  return (
    <Page title="New service" lead={`${sizeWords(values.value, isDevelopment)}.`}>
      <Form
        form={form}
        label="New service"
        class="new-service"
        onSubmit={create}
        isGuarded={made.value === null}
      >
        <Panel title="Name and tier" class="new-service-group" isPadded>
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
        <Panel title="Size and sleep" class="new-service-group" isPadded>
          <SizeFields
            form={form}
            fixedMemory={
              isDevelopment ? 'A development service is small, and its memory does not scale.' : null
            }
          />
        </Panel>
        <Panel title="Who may connect" class="new-service-group" isPadded>
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
        <Panel title="Request" note="what the button sends, for scripts" isPadded>
          <CallCode call={callOf(bodyOf(values.value, backup))} />
        </Panel>
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
  const { name, tier } = values
  const sources = values.access === 'here' ? ['127.0.0.1', '::1'] : ['0.0.0.0/0', '::/0']
  return {
    ...{ name, tier, ipAccessList: sources.map((source) => ({ source, description: '' })) },
    ...sizeBody(values, tier === 'development'),
    ...(backupId === '' ? {} : { backupId }),
  }
}

const callOf = (body: ReturnType<typeof bodyOf>): ShownCall => ({
  ...{ id: 'services.create', input: { body } },
  granary: createCommand(body),
})

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
