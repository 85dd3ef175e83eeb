import type { SourceObject } from '../source.ts'

export interface CreatedObject extends SourceObject {
  bucket: string
  /** When the store wrote the object, by its own clock; 0 = the message does not tell. */
  eventMs: number
}

/**
 * The objects whose creation a message tells of: an S3 notification, direct or through SNS, or an event of EventBridge.
 * Anything else, such as a removal or the test event, tells of none.
 */
export function createdObjects(body: string): CreatedObject[] {
  const message = parsed(body)
  // SNS without raw delivery wraps the notification.
  if (message.Type === 'Notification' && typeof message.Message === 'string') {
    return createdObjects(message.Message)
  }
  if (message['detail-type'] === 'Object Created') {
    const { bucket, object } = fields(message.detail)
    return [created(fields(bucket).name, fields(object), message.time, (key) => key)]
  }
  const records = Array.isArray(message.Records) ? message.Records.map(fields) : []
  return records
    .filter(({ eventName }) => /^(s3:)?ObjectCreated:/.test(String(eventName)))
    .map(({ s3, eventTime }) => {
      const { bucket, object } = fields(s3)
      return created(fields(bucket).name, fields(object), eventTime, unescaped)
    })
}

type Fields = Record<string, unknown>

function created(
  bucket: unknown,
  object: Fields,
  time: unknown,
  name: (key: string) => string,
): CreatedObject {
  return {
    bucket: String(bucket ?? ''),
    key: name(String(object.key ?? '')),
    etag: String(object.eTag ?? object.etag ?? '').replaceAll('"', ''),
    bytes: Number(object.size ?? 0) || 0,
    eventMs: Date.parse(String(time)) || 0,
  }
}

function parsed(body: string): Fields {
  try {
    return fields(JSON.parse(body))
  } catch {
    return {}
  }
}

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** Names in notifications are encoded like a form: a plus is a space. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    return key
  }
}
