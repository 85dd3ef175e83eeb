import { useEffect, useState } from 'preact/hooks'
import { toApiError } from '../../../api/api-error.ts'
import { call, callFull } from '../../../api/call.ts'
import { refresh } from '../../../api/resource.ts'
import { Page } from '../../../frame/page.tsx'
import { Button } from '../../../kit/button.tsx'
import { askToLeave } from '../../../kit/confirm.tsx'
import { Empty } from '../../../kit/empty.tsx'
import { useListText } from '../../../kit/list-text.ts'
import { Notice } from '../../../kit/notice.tsx'
import { TextField } from '../../../kit/text-field.tsx'
import { toastError } from '../../../kit/toast.tsx'
import { guardLeaving, navigate } from '../../../lib/address.ts'
import { type Past, pastOf, step } from '../../../lib/past.ts'
import { raised } from '../../../lib/words.ts'
import type { Dashboard } from '../dashboard-types.ts'
import { UndoRedo } from '../undo-redo.tsx'
import { useView } from '../use-view.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import type { Saved } from './edit-page.tsx'
import { LayoutGrid } from './layout-grid.tsx'
import { VariablesPanel } from './variables-panel.tsx'

/** The draft of a dashboard: a hundred steps back, saved as one version. */
export function EditBody({ saved, onReload }: { saved: Saved; onReload: () => Promise<void> }) {
  const [past, setPast] = useState<Past<Dashboard>>(() => pastOf(saved.dashboard))
  const [problem, setProblem] = useState<string | null>(null)
  const [isConflict, setConflict] = useState(false)
  const draft = past.now
  const view = useView(saved.dashboard)
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved.dashboard)
  const change = (next: Dashboard) => setPast((all) => step(all, next))
  const tags = useListText(draft.tags, (tags) => change({ ...draft, tags }))
  useEffect(() => {
    if (isChanged) return guardLeaving(askToLeave)
  }, [isChanged])
  const save = async (ifMatch: string | null) => {
    setProblem(null)
    try {
      await callFull('dashboards.replace', {
        ...{ params: { dashboardId: draft.id }, body: draft },
        ...(ifMatch === null ? {} : { ifMatch }),
      })
      refresh('dashboards.get', 'dashboards.list', 'dashboards.listVersions')
      await navigate(`/dashboards/${draft.id}`, { isSaved: true })
    } catch (thrown) {
      const error = toApiError(thrown)
      if (error.status === 412) setConflict(true)
      else setProblem(error.message)
    }
  }
  const saveCopy = async () => {
    const { id: _, tiles, ...rest } = draft
    const body = { ...rest, name: `${draft.name} (copy)`, tiles: tiles.map(({ id: __, ...tile }) => tile) }
    try {
      const made = await call('dashboards.create', { body })
      setConflict(false)
      refresh('dashboards.list')
      await navigate(`/dashboards/${made.id}`, { isSaved: true })
    } catch (thrown) {
      toastError('No copy was made.', thrown)
    }
  }
  return (
    <Page
      title={`Edit ${saved.dashboard.name}`}
      crumb="Edit"
      crumbs={[
        { name: 'Dashboards', href: '/dashboards' },
        { name: saved.dashboard.name, href: `/dashboards/${draft.id}` },
      ]}
      layout="wide"
      actions={
        <>
          <UndoRedo past={past} onChange={setPast} />
          <Button
            icon="plus"
            href={`/dashboards/${draft.id}/tiles/new`}
            reason={isChanged ? 'Save the layout first.' : null}
          >
            New tile
          </Button>
          <Button href={`/dashboards/${draft.id}`}>Discard</Button>
          <Button
            tone="primary"
            reason={isChanged ? null : 'Nothing is changed.'}
            onPress={() => save(saved.version)}
          >
            Save
          </Button>
        </>
      }
    >
      {problem !== null && (
        <Notice hue="bad" role="alert" title="The dashboard was not saved.">
          {raised(problem)}
        </Notice>
      )}
      <div class="edit-fields">
        <TextField
          label="Name"
          value={draft.name}
          isChanged={draft.name !== saved.dashboard.name}
          onChange={(name) => change({ ...draft, name })}
        />
        <TextField
          label="Tags"
          hint="With commas between."
          isChanged={draft.tags.join() !== saved.dashboard.tags.join()}
          {...tags}
        />
      </div>
      <VariablesPanel draft={draft} onChange={change} />
      {draft.tiles.length === 0 ? (
        <Empty icon="dashboard" title="This dashboard has no tiles." />
      ) : (
        <>
          <p class="edit-hint">
            Drag a tile by its handle, or press Enter on the handle: arrows move, ⇧ arrows size, Enter puts
            down, Esc undoes. Hold Alt for half steps.
          </p>
          <p class="only-phone edit-narrow">The layout is changed in a wider window.</p>
          <LayoutGrid {...{ draft, view }} stored={saved.dashboard} onChange={change} />
        </>
      )}
      {isConflict && (
        <ConflictDialog
          saved={saved.dashboard}
          onCopy={saveCopy}
          onOverwrite={() => {
            setConflict(false)
            return save(null)
          }}
          onReload={() => {
            setConflict(false)
            return onReload()
          }}
          onClose={() => setConflict(false)}
        />
      )}
    </Page>
  )
}
