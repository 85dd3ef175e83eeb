import { activityIcon } from '../../kit/activity-icon.ts'
import { CopyButton } from '../../kit/copy.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Icon } from '../../kit/icon.tsx'
import { type Activity, activityWords } from '../../lib/activity-words.ts'
import { formatClock } from '../../lib/times.ts'

/**
 * One line of the audit trail; opened, it shows what changed, and from where. `names` knows things by id;
 * `serviceName` is that of the service whose part it is about.
 */
export function ActivityEntry(props: {
  entry: Activity
  names: ReadonlyMap<string, string>
  serviceName: string | undefined
}) {
  const { entry, names, serviceName } = props
  const { type, createdAt, actorType, actorDetails, actorIpAddress, userAgent, reason, requestId } = entry
  const { before, name, after } = activityWords(entry, names)
  const fields = [...new Set([...Object.keys(entry.before), ...Object.keys(entry.after)])]
  return (
    <li class="activity-entry">
      <Icon name={activityIcon(type)} />
      <details>
        <summary>
          {before} {name !== '' && <b>{name}</b>} {after}
          {serviceName !== undefined && serviceName !== name && <span class="muted"> · {serviceName}</span>}
          {reason !== '' && <span class="muted"> · {reason}</span>}
        </summary>
        {fields.length > 0 && (
          <ul class="activity-fields">
            {fields.map((name) => (
              <li key={name}>
                <code>{name}</code> {textOf(entry.before[name])} → {textOf(entry.after[name])}
              </li>
            ))}
          </ul>
        )}
        <Facts
          facts={[
            ['By', actorType === 'system' ? `Granary (${actorDetails})` : actorDetails],
            ['From', actorIpAddress],
            ['With', userAgent],
            [
              'Request',
              requestId === '' ? (
                ''
              ) : (
                <>
                  <code>{requestId}</code> <CopyButton text={requestId} label="Copy the request id" />
                </>
              ),
            ],
          ]}
        />
      </details>
      <time dateTime={createdAt}>{formatClock(Date.parse(createdAt), { seconds: true })}</time>
    </li>
  )
}

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
