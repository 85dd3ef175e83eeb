import { useState } from 'preact/hooks'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { CheckField } from '../../kit/check-field.tsx'
import type { FieldState } from '../../kit/field.tsx'
import { Form, useFollowing, useForm } from '../../kit/form.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { KeptSecretField, SecretField, TextArea, TextField } from '../../kit/text-field.tsx'
import {
  conditionWords,
  hasUpperBound,
  intervalWords,
  isWatchable,
  thresholdWords,
} from '../../lib/alert-words.ts'

export type Alert = Result<'alerts.get'>

interface Values {
  name: string
  enabled: boolean
  dashboardId: string
  tileId: string
  interval: Alert['interval']
  thresholdType: Alert['thresholdType']
  threshold: number | null
  thresholdMax: number | null
  numConsecutiveWindows: number | null
  message: string
  url: string
  secret: string
}

const intervals: readonly Alert['interval'][] = ['1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d']

const firstValues = (alert: Alert | null, dashboardId: string, tileId: string): Values => ({
  name: alert?.name ?? '',
  enabled: alert?.enabled ?? true,
  dashboardId: alert?.dashboardId ?? dashboardId,
  tileId: alert?.tileId ?? tileId,
  interval: alert?.interval ?? '5m',
  thresholdType: alert?.thresholdType ?? 'above',
  threshold: alert?.threshold ?? null,
  thresholdMax: alert?.thresholdMax ?? null,
  numConsecutiveWindows: alert?.numConsecutiveWindows ?? 1,
  message: alert?.message ?? '',
  url: alert?.channel.url ?? '',
  secret: '',
})

/** What an alert watches, when it fires, and whom it tells; a new one, or a change of one. */
export function AlertForm(props: {
  alert: Alert | null
  dashboardId?: string
  tileId?: string
  onSaved: (saved: Alert) => void
}) {
  const { alert, dashboardId = '', tileId = '', onSaved } = props
  const form = useForm<Values>(firstValues(alert, dashboardId, tileId), {
    serverNames: { url: 'channel.url', secret: 'channel.secret' },
    checks: {
      dashboardId: (value) => (value === '' ? 'A dashboard is needed.' : null),
      tileId: (value) => (value === '' ? 'A tile is needed.' : null),
      threshold: (value) => (value === null ? 'A number is needed.' : null),
    },
  })
  useFollowing(form, firstValues(alert, dashboardId, tileId))
  const [isReplacing, setReplacing] = useState(false)
  const values = form.values.value
  const save = async (wanted: Values) => {
    // The head of the page turns an alert on and off, at once.
    const body = { ...bodyOf(wanted), enabled: alert?.enabled ?? wanted.enabled }
    const saved = alert
      ? await call('alerts.replace', { params: { alertId: alert.id }, body })
      : await call('alerts.create', { body })
    form.reset(firstValues(saved, '', ''))
    setReplacing(false)
    refresh('alerts.list', 'alerts.get')
    onSaved(saved)
  }
  const count = form.changes.value.length
  return (
    <Form form={form} label={alert ? 'Alert' : 'New alert'} onSubmit={save} isGuarded>
      <TextField label="Name" {...form.field('name')} />
      <TileFields
        dashboardId={values.dashboardId}
        dashboard={form.field('dashboardId')}
        tile={form.field('tileId')}
        onDashboard={(id) => {
          form.set('dashboardId', id)
          form.set('tileId', '')
        }}
      />
      <div class="alert-line">
        <SelectField
          label="Fires when the value is"
          options={Object.entries(thresholdWords).map(([value, name]) => ({
            value: value as Alert['thresholdType'],
            name,
          }))}
          {...form.field('thresholdType')}
        />
        <NumberField
          label={hasUpperBound(values.thresholdType) ? 'Lower bound' : 'Threshold'}
          {...form.field('threshold')}
        />
        {hasUpperBound(values.thresholdType) && (
          <NumberField label="Upper bound" {...form.field('thresholdMax')} />
        )}
      </div>
      <div class="alert-line">
        <SelectField
          label="Asked every"
          options={intervals.map((value) => ({ value, name: intervalWords(value) }))}
          {...form.field('interval')}
        />
        <NumberField
          label="Times in a row"
          {...{ min: 1, max: 100, step: 1 }}
          {...form.field('numConsecutiveWindows')}
        />
      </div>
      <p class="sub" role="status">
        {sentenceOf(values)}
      </p>
      <TextField
        label="Webhook"
        isMono
        hint="Told once when it fires and once when it is over. An address that is not public needs GRANARY_WEBHOOK_ALLOW."
        {...form.field('url')}
      />
      {alert ? (
        <KeptSecretField
          label="Signing secret"
          isReplacing={isReplacing}
          onReplace={(isOn) => {
            setReplacing(isOn)
            form.set('secret', '')
          }}
          {...form.field('secret')}
        />
      ) : (
        <SecretField
          label="Signing secret"
          isOptional
          hint="whsec_ and base64 of 24 to 64 bytes. Empty: one is made and shown once."
          {...form.field('secret')}
        />
      )}
      <TextArea
        label="Message"
        isOptional
        rows={2}
        hint="Sent with the webhook."
        {...form.field('message')}
      />
      {!alert && <CheckField label="On" isSwitch {...form.field('enabled')} />}
      <div class="actions">
        <Button
          submit
          tone="primary"
          isBusy={form.isSaving.value}
          reason={alert && count === 0 ? 'Nothing is changed.' : null}
        >
          {alert ? 'Save' : 'New alert'}
        </Button>
        {alert && count > 0 && <Button onPress={() => form.reset()}>Discard</Button>}
      </div>
    </Form>
  )
}

/** The dashboard, then one of its tiles that has numbers. */
function TileFields(props: {
  dashboardId: string
  dashboard: FieldState<string>
  tile: FieldState<string>
  onDashboard: (id: string) => void
}) {
  const { dashboardId, dashboard, tile, onDashboard } = props
  const dashboards = useResource('dashboards.list').data.value ?? []
  const tiles = dashboards.find(({ id }) => id === dashboardId)?.tiles ?? []
  const watched = tiles.filter(({ series }) => isWatchable(series[0]?.type))
  return (
    <div class="alert-line">
      <SelectField
        label="Dashboard"
        {...dashboard}
        onChange={onDashboard}
        options={[
          { value: '', name: 'Choose one', isDisabled: true },
          ...dashboards.map(({ id, name }) => ({ value: id, name })),
        ]}
      />
      <SelectField
        label="Tile"
        hint="Of type time, number or table."
        {...tile}
        options={[
          { value: '', name: 'Choose one', isDisabled: true },
          ...watched.map(({ id, name }) => ({ value: id, name: name || 'Untitled' })),
        ]}
      />
    </div>
  )
}

function bodyOf(values: Values) {
  const { url, secret, threshold, thresholdMax, numConsecutiveWindows, ...rest } = values
  const isRange = hasUpperBound(values.thresholdType)
  return {
    ...rest,
    threshold: threshold ?? 0,
    ...(isRange && thresholdMax !== null ? { thresholdMax } : {}),
    ...(numConsecutiveWindows === null ? {} : { numConsecutiveWindows }),
    channel: { type: 'webhook' as const, url, ...(secret === '' ? {} : { secret }) },
  }
}

/** `Every 5 min the value of the 5 min before is taken; it fires when that is at least 100, 2 times in a row.` */
function sentenceOf(values: Values): string {
  const every = intervalWords(values.interval)
  const times = values.numConsecutiveWindows ?? 1
  const inRow = times > 1 ? `, ${times} times in a row` : ''
  return `Every ${every} the value of the ${every} before is taken; it fires when that is ${conditionWords(values)}${inRow}.`
}
