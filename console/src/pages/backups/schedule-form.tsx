import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Form, useFollowing, useForm } from '../../kit/form.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { counted } from '../../lib/words.ts'

type Configuration = Result<'backupConfiguration.get'>

interface Values {
  backupPeriodInHours: string
  backupStartTime: string
  backupRetentionPeriodInHours: string
}

const valuesOf = (configuration: Configuration): Values => ({
  backupPeriodInHours: String(configuration.backupPeriodInHours),
  backupStartTime: configuration.backupStartTime,
  backupRetentionPeriodInHours: String(configuration.backupRetentionPeriodInHours),
})

const periods = [6, 8, 12, 16, 20, 24, 36, 48]
const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`)
const retentions = Array.from({ length: 45 }, (_, day) => (day + 1) * 24)
const keepRule =
  'A chain stays until all of it is older than this and two newer backups are good. The newest good one is never removed.'

/** How often backups are made, when, and for how long they stay. */
export function ScheduleForm(props: { serviceId: string; configuration: Configuration }) {
  const { serviceId, configuration } = props
  const form = useForm<Values>(valuesOf(configuration))
  useFollowing(form, valuesOf(configuration))
  if (!may('backups:manage', serviceId)) return <ReadOnly configuration={configuration} />
  const isDaily = ['24', '48'].includes(form.values.value.backupPeriodInHours)
  const save = async (values: Values) => {
    const saved = await call('backupConfiguration.update', {
      params: { serviceId },
      body: {
        backupPeriodInHours: Number(values.backupPeriodInHours),
        backupRetentionPeriodInHours: Number(values.backupRetentionPeriodInHours),
        ...(isDaily ? { backupStartTime: values.backupStartTime } : {}),
      },
    })
    form.reset(valuesOf(saved))
    refresh('backupConfiguration.get', 'organizations.backups')
  }
  const count = form.changes.value.length
  return (
    <Form form={form} label="Schedule" onSubmit={save} isGuarded>
      <div class="pair">
        <SelectField
          label="Every"
          options={periods.map((period) => ({ value: String(period), name: `${period} hours` }))}
          {...form.field('backupPeriodInHours')}
        />
        <SelectField
          label="At, UTC"
          isDisabled={!isDaily}
          options={[
            { value: '', name: isDaily ? 'Any hour' : 'Every 24 or 48 h only' },
            ...hours.map((hour) => ({ value: hour, name: hour })),
          ]}
          {...form.field('backupStartTime')}
        />
      </div>
      <SelectField
        label="Keep for"
        hint={keepRule}
        options={retentions.map((kept) => ({ value: String(kept), name: counted(kept / 24, 'day') }))}
        {...form.field('backupRetentionPeriodInHours')}
      />
      <div class="actions">
        <Button
          submit
          size="small"
          tone={count === 0 ? 'plain' : 'primary'}
          isBusy={form.isSaving.value}
          reason={count === 0 ? 'Nothing is changed.' : null}
        >
          Save
        </Button>
        {count > 0 && (
          <Button size="small" onPress={() => form.reset()}>
            Discard
          </Button>
        )}
      </div>
    </Form>
  )
}

function ReadOnly({ configuration }: { configuration: Configuration }) {
  const { backupPeriodInHours, backupStartTime, backupRetentionPeriodInHours } = configuration
  return (
    <Facts
      facts={[
        ['Every', `${backupPeriodInHours} hours`],
        ['At, UTC', backupStartTime],
        ['Keep for', counted(backupRetentionPeriodInHours / 24, 'day')],
      ]}
    />
  )
}
