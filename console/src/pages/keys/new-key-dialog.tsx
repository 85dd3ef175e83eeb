import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { CopyLine } from '../../kit/copy.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { TextField } from '../../kit/text-field.tsx'

type Made = Result<'keys.create'>
type Ends = 'never' | '7' | '30' | '90' | '365'

/** Makes a key; its secret is shown once, in a dialog that closes only by hand. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const made = useSignal<Made | null>(null)
  if (made.value) return <SecretDialog made={made.value} onClose={onClose} />
  return (
    <NewKeyForm
      onClose={onClose}
      onMade={(key) => {
        made.value = key
      }}
    />
  )
}

function NewKeyForm({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => void }) {
  const form = useForm({
    name: '',
    kind: 'management' as 'management' | 'dashboard',
    role: 'developer' as 'admin' | 'developer',
    ends: '90' as Ends,
  })
  const create = async ({ name, kind, role, ends }: typeof form.values.value) => {
    const expireAt = ends === 'never' ? null : new Date(Date.now() + Number(ends) * 86_400_000).toISOString()
    const body = { name, kind, roles: [role], expireAt }
    onMade(await call('keys.create', { body }))
    refresh('keys.list')
  }
  return (
    <Dialog title="New key" onClose={onClose}>
      <Form form={form} label="New key" onSubmit={create}>
        <TextField label="Name" hint="What it is for." {...form.field('name')} />
        <SelectField
          label="For"
          options={[
            { value: 'management', name: 'Everything: a key id and a secret' },
            { value: 'dashboard', name: 'Dashboards alone: a token' },
          ]}
          {...form.field('kind')}
        />
        <SelectField
          label="Role"
          hint="In the whole organization."
          options={[
            { value: 'developer', name: 'Developer: reads' },
            { value: 'admin', name: 'Admin: reads and changes' },
          ]}
          {...form.field('role')}
        />
        <SelectField
          label="Ends"
          options={[
            { value: '7', name: 'In a week' },
            { value: '30', name: 'In 30 days' },
            { value: '90', name: 'In 90 days' },
            { value: '365', name: 'In a year' },
            { value: 'never', name: 'Never' },
          ]}
          {...form.field('ends')}
        />
        <div class="actions actions-end">
          <Button onPress={onClose}>Cancel</Button>
          <Button submit tone="primary" isBusy={form.isSaving.value}>
            New key
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

function SecretDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const { key, keyId, keySecret, token } = made
  return (
    <Dialog title={`${key.name} is made`} text="Keep it now: it is not shown again.">
      {token === '' ? (
        <>
          <p>Key id</p>
          <CopyLine text={keyId} label="Copy the key id" />
          <p>Key secret</p>
          <CopyLine text={keySecret} label="Copy the key secret" />
        </>
      ) : (
        <>
          <p>Token</p>
          <CopyLine text={token} label="Copy the token" />
        </>
      )}
      <div class="actions actions-end">
        <Button tone="primary" onPress={onClose}>
          I have kept it
        </Button>
      </div>
    </Dialog>
  )
}
