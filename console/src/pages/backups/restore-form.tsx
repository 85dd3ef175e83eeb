import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { TextField } from '../../kit/text-field.tsx'
import { navigate } from '../../lib/address.ts'
import { formatDuration } from '../../lib/durations.ts'
import { formatBytes } from '../../lib/numbers.ts'
import { counted } from '../../lib/words.ts'
import { PasswordDialog } from '../service/password-dialog.tsx'
import { defaultSize, type Size, SizeFields, sizeBody, sizeWords } from '../service/size-fields.tsx'

type Backup = Result<'backups.list'>[number]

interface Values extends Size {
  name: string
}

/** A new service with the data of a backup; the service that was backed up stays as it is. */
export function RestoreForm({ serviceName, needed }: { serviceName: string; needed: readonly Backup[] }) {
  const backup = needed.at(-1)
  const form = useForm<Values>({ name: `${serviceName}-restored`, ...defaultSize() })
  const made = useSignal<Result<'services.create'> | null>(null)
  if (!backup) return null
  const bytes = needed.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  const restore = async (values: Values) => {
    const { name } = values
    made.value = await call('services.create', { body: { name, backupId: backup.id, ...sizeBody(values) } })
    refresh('services.list')
  }
  return (
    <>
      <Form form={form} label="Restore" onSubmit={restore}>
        <h3>Restore into a new service</h3>
        <p class="sub">
          It has every table, user and row as they were; {serviceName} stays as it is. {formatBytes(bytes)}{' '}
          are copied from {counted(needed.length, 'backup')}
          {estimateOf(needed)}.
        </p>
        <TextField label="New name" {...form.field('name')} />
        <SizeFields form={form} />
        <p class="sub">{sizeWords(form.values.value)}.</p>
        <div class="actions">
          <Button submit tone="primary" icon="backup" isBusy={form.isSaving.value}>
            Restore
          </Button>
        </div>
      </Form>
      {made.value && (
        <PasswordDialog
          service={made.value.service.name}
          user={made.value.service.endpoints[0]?.username ?? 'default'}
          password={made.value.password}
          onClose={() => void navigate(`/services/${backup.serviceId}/backups`)}
        />
      )}
    </>
  )
}

/** Copying back takes about as long as copying there took. */
function estimateOf(needed: readonly Backup[]): string {
  const seconds = needed.reduce((sum, { durationInSeconds }) => sum + durationInSeconds, 0)
  return seconds < 1 ? '' : `; making them took ${formatDuration(seconds * 1000)}`
}
