import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Panel } from '../../kit/panel.tsx'
import { TextField } from '../../kit/text-field.tsx'
import { run, toastError } from '../../kit/toast.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { type Service, ServiceFrame } from './service-frame.tsx'

export function ServiceAccessPage({ params: { serviceId } }: { params: { serviceId: string } }) {
  return (
    <ServiceFrame serviceId={serviceId} tab="Access">
      {(service) => (
        <div class="stack">
          <Addresses service={service} />
          <Users service={service} />
        </div>
      )}
    </ServiceFrame>
  )
}

function Addresses({ service }: { service: Service }) {
  const { id: serviceId, ipAccessList } = service
  const form = useForm({ source: '', description: '' }, { serverNames: { source: 'ipAccessList' } })
  const canManage = may('services:manage', serviceId)
  const change = (patch: { add?: typeof ipAccessList; remove?: typeof ipAccessList }) =>
    call('services.update', { params: { serviceId }, body: { ipAccessList: patch } }).then(() =>
      refresh('services.get'),
    )
  const add = async (entry: { source: string; description: string }) => {
    await change({ add: [entry] })
    form.reset({ source: '', description: '' })
  }
  const remove = async (entry: (typeof ipAccessList)[number]) => {
    const isMeant = await confirm({
      title: `Remove ${entry.source}?`,
      text: 'Connections from there are refused from now on.',
      verb: 'Remove it',
    })
    if (isMeant) await run(change({ remove: [entry] }), `${entry.source} is as it was.`)
  }
  return (
    <Panel title="Addresses" note="From where clients may connect">
      <DataTable
        label="Addresses"
        rows={ipAccessList}
        rowKey={({ source }) => source}
        columns={[
          { id: 'source', label: 'Address', card: 'head', cell: ({ source }) => <code>{source}</code> },
          {
            id: 'description',
            label: 'Description',
            cell: ({ description }) => description || <span class="muted">–</span>,
          },
          {
            ...{ id: 'menu', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
            cell: (entry) =>
              canManage && (
                <Menu
                  label={`Actions of ${entry.source}`}
                  mark="row-menu"
                  entries={[{ name: 'Remove', icon: 'trash', onPress: () => remove(entry) }]}
                />
              ),
          },
        ]}
      />
      {canManage && (
        <Form form={form} label="New address" onSubmit={add} class="service-line">
          <TextField label="Address or range" placeholder="10.0.0.0/8" isMono {...form.field('source')} />
          <TextField label="Description" isOptional {...form.field('description')} />
          <Button submit isBusy={form.isSaving.value}>
            Add address
          </Button>
        </Form>
      )}
    </Panel>
  )
}

function Users({ service }: { service: Service }) {
  const { id: serviceId } = service
  const users = useResource('serviceUsers.list', { params: { serviceId } })
  const form = useForm({ name: '' })
  const made = useSignal<{ name: string; password: string } | null>(null)
  const canManage = may('services:manage', serviceId)
  const create = async ({ name }: { name: string }) => {
    const { user, password } = await call('serviceUsers.create', { params: { serviceId }, body: { name } })
    made.value = { name: user.name, password }
    form.reset()
    refresh('serviceUsers.list')
  }
  const renew = async (userId: string, name: string) => {
    try {
      const { password } = await call('serviceUsers.resetPassword', {
        params: { serviceId, userId },
        body: {},
      })
      made.value = { name, password }
    } catch (thrown) {
      toastError('The password is as it was.', thrown)
    }
  }
  const remove = async (userId: string, name: string) => {
    const isMeant = await confirm({
      title: `Delete the user ${name}?`,
      verb: `Delete ${name}`,
      isDangerous: true,
    })
    if (!isMeant) return
    const gone = call('serviceUsers.delete', { params: { serviceId, userId } }).then(() =>
      refresh('serviceUsers.list'),
    )
    await run(gone, `${name} was not deleted.`)
  }
  return (
    <Panel title="Users" note="Besides default, who may everything">
      <Loaded resource={users}>
        {(all) => (
          <DataTable
            label="Users"
            rows={all}
            rowKey={({ id }) => id}
            columns={[
              { id: 'name', label: 'Name', card: 'head', cell: ({ name }) => <code>{name}</code> },
              {
                ...{ id: 'menu', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
                cell: ({ id, name }) =>
                  canManage && (
                    <Menu
                      label={`Actions of ${name}`}
                      mark="row-menu"
                      entries={[
                        { name: 'New password', icon: 'key', onPress: () => renew(id, name) },
                        'line',
                        { name: 'Delete', icon: 'trash', isDangerous: true, onPress: () => remove(id, name) },
                      ]}
                    />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {canManage && (
        <Form form={form} label="New user" onSubmit={create} class="service-line">
          <TextField label="Name" isMono {...form.field('name')} />
          <Button submit isBusy={form.isSaving.value}>
            New user
          </Button>
        </Form>
      )}
      {made.value && (
        <PasswordDialog
          service={service.name}
          user={made.value.name}
          password={made.value.password}
          onClose={() => {
            made.value = null
          }}
        />
      )}
    </Panel>
  )
}
