import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { Chip } from '../../kit/chip.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'

type Session = Result<'sessions.list'>[number]

/** The browsers that are signed in. */
export function Sessions({ canManage }: { canManage: boolean }) {
  const sessions = useResource('sessions.list', {})
  return (
    <Panel title="Signed in" note="Browsers that hold a session">
      <Loaded resource={sessions}>
        {(all) => (
          <DataTable label="Signed in" rows={all} rowKey={({ id }) => id} columns={columnsOf(canManage)} />
        )}
      </Loaded>
    </Panel>
  )
}

const columnsOf = (canManage: boolean): Column<Session>[] => [
  {
    ...{ id: 'key', label: 'Key', card: 'head' as const },
    cell: ({ keyName, isCurrent }) => (
      <>
        {keyName} {isCurrent && <Chip>this one</Chip>}
      </>
    ),
  },
  { id: 'from', label: 'From', cell: ({ ipAddress }) => <code>{ipAddress}</code> },
  {
    id: 'with',
    label: 'With',
    card: 'wide',
    cell: ({ userAgent }) => <span title={userAgent}>{browserOf(userAgent)}</span>,
  },
  { id: 'since', label: 'Since', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  { id: 'used', label: 'Last used', cell: ({ usedAt }) => <TimeAgo at={usedAt} /> },
  {
    ...{ id: 'end', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
    cell: (one) => canManage && <End of={one} />,
  },
]

function End({ of: { id: sessionId, keyName, ipAddress } }: { of: Session }) {
  const end = () =>
    run(
      call('sessions.delete', { params: { sessionId } }).then(() => refresh('sessions.list')),
      'The session was not ended.',
    )
  return (
    <Button
      tone="quiet"
      size="small"
      label={`End the session of ${keyName} from ${ipAddress}`}
      icon="x"
      onPress={end}
    />
  )
}

/** `Firefox on Linux`; what is not known is shown as it was sent. */
function browserOf(userAgent: string): string {
  const browser = [
    ['Edg/', 'Edge'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ].find(([mark = '']) => userAgent.includes(mark))?.[1]
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'].find((one) =>
    userAgent.includes(one),
  )
  if (!browser) return userAgent.slice(0, 60)
  return system ? `${browser} on ${system}` : browser
}
