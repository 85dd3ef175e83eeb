import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useActivityNames } from '../../api/activity-names.ts'
import { toApiError } from '../../api/api-error.ts'
import { callFull } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { Empty } from '../../kit/empty.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Select } from '../../kit/select-field.tsx'
import { toastError } from '../../kit/toast.tsx'
import type { Activity } from '../../lib/activity-words.ts'
import { formatTime } from '../../lib/times.ts'
import { useQuery } from '../../lib/url-state.ts'
import { ActivityEntry } from './activity-entry.tsx'
import './activity-page.css'

/** Entries of the audit trail, newest first, by day: of one service, or of all with a choice among them. */
export function ActivityTrail({ serviceId }: { serviceId?: string }) {
  const newest = useResource('activities.list', newestActivities)
  const services = useResource('services.list', {})
  const names = useActivityNames()
  const older = useSignal<{ items: Activity[]; next: string | null } | null>(null)
  const text = useQuery('q')
  const type = useQuery('type')
  const actor = useQuery('actor')
  const service = useQuery('service')
  const wantedService = serviceId ?? service.value
  // Newer entries move the pages: what was read beyond the first is read anew.
  useEffect(() => {
    older.value = null
  }, [type.value, actor.value, service.value])
  const serviceNames = new Map((services.data.value ?? []).map(({ id, name }) => [id, name]))
  const isWanted = (one: Activity) =>
    (type.value === '' || one.type.startsWith(`${type.value}_`)) &&
    (actor.value === '' || one.actorType === actor.value) &&
    (wantedService === '' || one.serviceId === wantedService) &&
    (text.value === '' || JSON.stringify(one).toLowerCase().includes(text.value.toLowerCase()))
  const more = async (last: Activity | undefined) => {
    try {
      const cursor = older.value?.next
      const query = cursor
        ? { limit: 100, cursor }
        : { limit: 100, ...(last ? { to_date: last.createdAt } : {}) }
      const answer = await callFull('activities.list', { query })
      const seen = new Set([...(newest.data.value ?? []), ...(older.value?.items ?? [])].map(({ id }) => id))
      const items = answer.result.filter(({ id }) => !seen.has(id))
      older.value = { items: [...(older.value?.items ?? []), ...items], next: answer.next }
    } catch (thrown) {
      toastError('Older entries were not read.', toApiError(thrown))
    }
  }
  return (
    <Panel
      title="Entries"
      tools={
        <>
          <FilterField label="Filter entries" query={text} />
          <Select
            label="Of"
            isSmall
            value={type.value}
            options={kinds}
            onChange={(value) => type.set(value)}
          />
          <Select
            label="By"
            isSmall
            value={actor.value}
            options={actors}
            onChange={(value) => actor.set(value)}
          />
          {serviceId === undefined && (
            <Select
              label="Service"
              isSmall
              value={service.value}
              options={[
                { value: '', name: 'All services' },
                ...[...serviceNames].map(([value, name]) => ({ value, name })),
              ]}
              onChange={(value) => service.set(value)}
            />
          )}
        </>
      }
    >
      <Loaded resource={newest} rows={8}>
        {(first) => {
          const all = [...first, ...(older.value?.items ?? [])]
          const shown = all.filter(isWanted)
          const hasMore = older.value === null ? first.length === 100 : older.value.next !== null
          return (
            <>
              {shown.length === 0 && <Empty title="No entry fits." />}
              {daysOf(shown).map(([day, entries]) => (
                <section class="activity-day" key={day} aria-label={day}>
                  <h3>{day}</h3>
                  <ol>
                    {entries.map((entry) => (
                      <ActivityEntry
                        key={entry.id}
                        entry={entry}
                        names={names}
                        serviceName={serviceId === undefined ? serviceNames.get(entry.serviceId) : undefined}
                      />
                    ))}
                  </ol>
                </section>
              ))}
              {hasMore && (
                <p class="activity-more">
                  <Button onPress={() => more(all.at(-1))}>Older entries</Button>
                </p>
              )}
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

export const newestActivities = { query: { limit: 100 } }

const kinds = [
  { value: '', name: 'Everything' },
  ...['organization', 'service', 'pipe', 'backup', 'dashboard', 'source', 'alert', 'key', 'session'].map(
    (value) => ({
      value,
      name: `${value[0]?.toUpperCase()}${value.slice(1)}s`,
    }),
  ),
]
const actors = [
  { value: '', name: 'By anybody' },
  { value: 'api', name: 'By a key' },
  { value: 'system', name: 'By Granary' },
]

function daysOf(entries: readonly Activity[]): [string, Activity[]][] {
  const days = Map.groupBy(entries, ({ createdAt }) => {
    const at = Date.parse(createdAt)
    return formatTime(at, at).replace(/ \d\d:\d\d$/, '')
  })
  return [...days]
}
