import { useActivityNames } from '../../api/activity-names.ts'
import { useResource } from '../../api/resource.ts'
import { activityIcon } from '../../kit/activity-icon.ts'
import { Button } from '../../kit/button.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { type Activity, activityWords } from '../../lib/activity-words.ts'

const most = 5

/** The newest entries of the audit trail; signing in is left to its own page. */
export function ActivityPanel() {
  const entries = useResource('activities.list', { query: { limit: 20 } })
  const names = useActivityNames()
  return (
    <Panel
      title="Activity"
      tools={
        <Button tone="quiet" size="small" href="/activity">
          All activity
        </Button>
      }
    >
      <Loaded resource={entries}>
        {(all) => {
          const shown = all.filter(({ type }) => !type.startsWith('session_')).slice(0, most)
          if (shown.length === 0) return <Empty icon="activity" title="Nothing has happened yet." />
          return (
            <ul class="overview-feed">
              {shown.map((entry) => (
                <ActivityLine key={entry.id} entry={entry} names={names} />
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function ActivityLine({ entry, names }: { entry: Activity; names: ReadonlyMap<string, string> }) {
  const { before, name, after, href } = activityWords(entry, names)
  const { actorType, actorDetails, actorIpAddress, reason } = entry
  const who = actorType === 'api' && actorIpAddress ? `${actorDetails} from ${actorIpAddress}` : actorDetails
  return (
    <li>
      <Icon name={activityIcon(entry.type)} />
      <div>
        <p>
          {before}{' '}
          {href ? (
            <a class="overview-name" href={href}>
              {name}
            </a>
          ) : (
            name !== '' && <b>{name}</b>
          )}{' '}
          {after}
        </p>
        <p class="muted">{reason || who}</p>
      </div>
      <TimeAgo at={entry.createdAt} />
    </li>
  )
}
