import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { Menu } from '../../kit/menu.tsx'
import { TextField } from '../../kit/text-field.tsx'
import { run, toast } from '../../kit/toast.tsx'
import { changeDraft, type Draft, drafts } from './drafts.ts'

type NamedQuery = Result<'queries.list'>[number]

/** The queries that the organization keeps under a name, for keys that see all of it; each has an address of its own. */
export function NamedQueries({ serviceId }: { serviceId: string }) {
  const queries = useResource('queries.list', {}, { when: may('services:view') }).data.value ?? []
  const sorted = queries.filter((one) => one.serviceId === null || one.serviceId === serviceId)
  if (sorted.length === 0) return null
  return (
    <section class="sql-named">
      <h2>Queries</h2>
      <ul>
        {sorted.map((query) => (
          <li key={query.id}>
            <a href={`/sql/${serviceId}/${query.id}`}>{query.name}</a>
            {may('services:manage') && (
              <Menu
                label={`Actions of ${query.name}`}
                entries={[
                  {
                    ...{ name: 'Delete', icon: 'trash' as const, isDangerous: true },
                    onPress: () => removeQuery(query),
                  },
                ]}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

async function removeQuery({ id, name }: NamedQuery): Promise<void> {
  const isMeant = await confirm({
    title: `Delete the query ${name}?`,
    text: 'It is gone for everybody. Drafts of it stay where they are open.',
    verb: `Delete ${name}`,
    isDangerous: true,
  })
  if (!isMeant) return
  const gone = call('queries.delete', { params: { namedQueryId: id } }).then(() => refresh('queries.list'))
  if (!(await run(gone, `${name} was not deleted.`))) return
  for (const draft of drafts.peek()) if (draft.queryId === id) forget(draft)
}

const forget = ({ id, name, text }: Draft): void => {
  // A draft without a query is one of this browser alone.
  changeDraft(id, { name, text, queryId: '', savedText: '' })
}

/** Saves a named query as it is in its draft; a draft without a name is asked for one. */
export function useNaming(serviceId: string) {
  const asked = useSignal<Draft | null>(null)
  const mayName = may('services:manage')
  async function name(draft: Draft): Promise<void> {
    if (!mayName || draft.text.trim() === '') return
    if (!draft.queryId) {
      asked.value = draft
      return
    }
    const { queryId: namedQueryId, name: known, text } = draft
    const saved = call('queries.replace', {
      params: { namedQueryId },
      body: { name: known, text, serviceId },
    })
    if (!(await run(saved, `${known} was not saved.`))) return
    changeDraft(draft.id, { savedText: text })
    refresh('queries.list')
    toast('ok', `${known} is saved.`)
  }
  const dialog = asked.value && (
    <NameDialog
      draft={asked.value}
      serviceId={serviceId}
      onClose={() => {
        asked.value = null
      }}
    />
  )
  return { mayName, name, dialog }
}

function NameDialog(props: { draft: Draft; serviceId: string; onClose: () => void }) {
  const { draft, serviceId, onClose } = props
  const form = useForm({ name: /^Query \d+$/.test(draft.name) ? '' : draft.name })
  const save = async ({ name }: { name: string }) => {
    const { text } = draft
    const made = await call('queries.create', { body: { name, text, serviceId } })
    changeDraft(draft.id, { name, queryId: made.id, savedText: text })
    refresh('queries.list')
    onClose()
  }
  return (
    <Dialog title="Name the query" text="Everybody who sees the service can open it." onClose={onClose}>
      <Form form={form} label="Name the query" onSubmit={save}>
        <TextField label="Name" {...form.field('name')} />
        <div class="actions actions-end">
          <Button onPress={onClose}>Cancel</Button>
          <Button submit tone="primary" isBusy={form.isSaving.value}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
