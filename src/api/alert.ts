import { alertIntervals, alertStates, alertLimits as limits, thresholdTypes } from '../domain/alert/types.ts'
import { closed, flag, list, oneOf, optional, Type, text } from './schema.ts'

const hexId = (description: string) => Type.String({ pattern: '^[0-9a-f]{24}$', description })
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const type = oneOf(['webhook'], 'How the alert is told.')
const url = text('An http or https address; one that is not public needs GRANARY_WEBHOOK_ALLOW.', {
  minLength: 1,
  maxLength: limits.urlLength,
})
const secret = text(
  'Signs the webhooks: `whsec_` and base64 of 24 to 64 bytes. Made, and answered this once, if absent at the creation; kept if absent later.',
  { maxLength: 200 },
)

const settings = {
  dashboardId: hexId('The dashboard.'),
  tileId: hexId('A tile of it, of type time, number or table. The alert is deleted with the tile.'),
  interval: oneOf(alertIntervals, 'How often the tile is asked, and over what range before that.'),
  threshold: Type.Number({ description: 'What the value is compared with.' }),
  thresholdType: oneOf(thresholdTypes, 'When the value is beyond the threshold.'),
  thresholdMax: optional(Type.Number({ description: 'The upper bound of `between` and `not_between`.' })),
}
const name = text('The name.', { minLength: 1, maxLength: limits.nameLength })
const message = text('Sent with the webhook. Default empty.', { maxLength: limits.messageLength })
const enabled = flag('Default true.')
const numConsecutiveWindows = Type.Integer({
  ...{
    minimum: 1,
    maximum: limits.windows,
    description: 'So many breaches in a row make an alert. Default 1.',
  },
})

const bodyFields = {
  name,
  message: optional(message),
  enabled: optional(enabled),
  ...settings,
  numConsecutiveWindows: optional(numConsecutiveWindows),
  channel: closed({ type, url, secret: optional(secret) }),
}

const error = closed({
  code: oneOf(['QUERY_ERROR', 'QUERY_TIMEOUT', 'WEBHOOK_ERROR'], 'What failed.'),
  message: text('Why.'),
})

const answered = {
  state: oneOf(alertStates, 'What the last evaluation made of it.'),
  stateSince: Type.String({ format: 'date-time', description: 'Since when.' }),
  lastValue: nullable(Type.Number(), 'The value that decided last; null = there was none.'),
  lastEvaluatedAt: nullable(Type.String({ format: 'date-time' }), 'Null = never.'),
  lastError: nullable(error, 'Null = the last evaluation and the last webhook went well.'),
}

export const AlertBody = closed(bodyFields)

/** Body of the replacement: the answer of a read can be sent back unchanged. */
export const AlertReplaceBody = closed({
  id: optional(text('The id in the path, when given.')),
  ...bodyFields,
  ...(Object.fromEntries(Object.entries(answered).map(([field, schema]) => [field, optional(schema)])) as {
    [K in keyof typeof answered]: ReturnType<typeof optional<(typeof answered)[K]>>
  }),
})

export const Alert = closed({
  id: text('24 hex digits.'),
  name,
  message,
  enabled,
  ...settings,
  numConsecutiveWindows,
  channel: closed({ type, url, secret: optional(secret) }),
  ...answered,
})

export const AlertHistoryEntry = closed({
  at: Type.Integer({ description: 'When, in milliseconds since 1970 UTC.' }),
  state: answered.state,
  value: answered.lastValue,
  startTime: Type.Integer({ description: 'The beginning of the range that was asked.' }),
  endTime: Type.Integer({ description: 'Its end, exclusive.' }),
  groups: list(
    closed({
      group: list(nullable(Type.String(), 'A value of groupBy.'), 'The group.'),
      value: Type.Number({ description: 'Its value.' }),
    }),
    'Those beyond the threshold, at most 20.',
  ),
  error: nullable(error, 'Null = the tile was answered.'),
  delivery: nullable(
    closed({
      event: oneOf(['alert.fired', 'alert.resolved'], 'What was told.'),
      attempts: Type.Integer({ description: 'How often it was sent.' }),
      status: nullable(Type.Integer(), 'The last answer; null = none.'),
      error: nullable(Type.String(), 'Why the last attempt failed; null = it did not.'),
    }),
    'Null = no webhook was due.',
  ),
})

export const AlertsMeta = closed({
  total: Type.Integer({ description: 'How many there are.' }),
  limit: Type.Integer({ description: 'As asked.' }),
  offset: Type.Integer({ description: 'As asked.' }),
})
