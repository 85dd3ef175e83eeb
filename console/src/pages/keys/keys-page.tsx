import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may, session } from '../../api/session.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { useShortcuts } from '../../frame/shortcuts.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Chip } from '../../kit/chip.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Panel } from '../../kit/panel.tsx'
import type { StateLook } from '../../kit/states.ts'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { useQuery } from '../../lib/url-state.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { Sessions } from './sessions.tsx'

type Key = Result<'keys.get'>

const looks: Record<Key['state'], StateLook> = {
  enabled: { hue: 'ok', icon: 'running', word: 'Enabled' },
  disabled: { hue: 'rest', icon: 'paused', word: 'Disabled' },
}

/** Keys and tokens of the organization, and the browsers that are signed in by them. */
export function KeysPage() {
  const keys = useResource('keys.list', {})
  const sort = useQuery('sort')
  const isNew = useSignal(false)
  const canManage = may('keys:manage')
  const openNew = () => {
    isNew.value = true
  }
  useShortcuts('Keys', canManage ? [{ keys: 'c', name: 'New key', run: openNew }] : [])
  return (
    <Page
      title="Keys"
      live={liveOf(keys)}
      lead="Who may call the API, and what each may do. A secret is shown once; only its hash is kept."
      actions={
        canManage && (
          <Button tone="primary" icon="plus" onPress={openNew}>
            New key
          </Button>
        )
      }
    >
      <ReadsOnly lacks="keys:manage" cannot="make, change or end keys" />
      <Panel title="Keys and tokens">
        <Loaded resource={keys}>
          {(all) => (
            <DataTable
              label="Keys and tokens"
              rows={all}
              rowKey={({ id }) => id}
              sort={sort}
              columns={columnsOf(canManage)}
            />
          )}
        </Loaded>
      </Panel>
      <Sessions canManage={canManage} />
      {isNew.value && (
        <NewKeyDialog
          onClose={() => {
            isNew.value = false
          }}
        />
      )}
    </Page>
  )
}

function columnsOf(canManage: boolean): Column<Key>[] {
  return [
    { id: 'name', label: 'Name', card: 'head', sortBy: ({ name }) => name, cell: (key) => <Name of={key} /> },
    { id: 'kind', label: 'For', cell: ({ kind }) => (kind === 'dashboard' ? 'Dashboards' : 'Everything') },
    { id: 'role', label: 'Role', cell: (key) => <Roles of={key} /> },
    { id: 'state', label: 'State', cell: ({ state }) => <Badge look={looks[state]} value={state} /> },
    {
      ...{ id: 'used', label: 'Last used', sortBy: ({ usedAt }: Key) => usedAt ?? '' },
      cell: ({ usedAt }) => (usedAt === null ? <span class="muted">not yet</span> : <TimeAgo at={usedAt} />),
    },
    {
      ...{ id: 'ends', label: 'Ends', sortBy: ({ expireAt }: Key) => expireAt ?? '~' },
      cell: ({ expireAt }) =>
        expireAt === null ? <span class="muted">never</span> : <TimeAgo at={expireAt} />,
    },
    {
      ...{ id: 'menu', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
      cell: (key) => canManage && <Actions of={key} />,
    },
  ]
}

const isOwn = ({ id }: Key): boolean => session.value?.key.id === id

function Name({ of: key }: { of: Key }) {
  return (
    <span class="keys-name">
      {key.name} <code>…{key.keySuffix}</code> {isOwn(key) && <Chip>this session</Chip>}
    </span>
  )
}

function Roles({ of: { roles, serviceGrants } }: { of: Key }) {
  const grants = serviceGrants.length
  const all = [...roles, ...(grants > 0 ? [`${grants} ${grants === 1 ? 'service' : 'services'}`] : [])]
  return <>{all.length > 0 ? all.join(', ') : <span class="muted">none</span>}</>
}

function Actions({ of: key }: { of: Key }) {
  const { id: keyId, name, state } = key
  const setState = (next: Key['state']) =>
    run(
      call('keys.update', { params: { keyId }, body: { state: next } }).then(() => refresh('keys.list')),
      `${name} was not changed.`,
    )
  const disable = async () => {
    const isMeant = await confirm({
      title: `Disable ${name}?`,
      text: isOwn(key)
        ? 'It is the key of this session: you are signed out at once.'
        : 'Whoever uses it is refused from now on.',
      verb: 'Disable it',
    })
    if (isMeant) await setState('disabled')
  }
  const remove = async () => {
    const isMeant = await confirm({
      title: `Delete ${name}?`,
      text: 'Whoever uses it is refused from now on, and sessions by it end. This cannot be undone.',
      verb: `Delete ${name}`,
      isDangerous: true,
      ...(isOwn(key) ? { typedName: name } : {}),
    })
    if (!isMeant) return
    await run(
      call('keys.delete', { params: { keyId } }).then(() => refresh('keys.list', 'sessions.list')),
      `${name} was not deleted.`,
    )
  }
  return (
    <Menu
      label={`Actions of ${name}`}
      mark="row-menu"
      entries={[
        state === 'enabled'
          ? { name: 'Disable', icon: 'paused', onPress: disable }
          : { name: 'Enable', icon: 'running', onPress: () => setState('enabled') },
        'line',
        { name: 'Delete', icon: 'trash', isDangerous: true, onPress: remove },
      ]}
    />
  )
}
