import { Button } from '../../kit/button.tsx'
import { addDraft, chooseDraft, closeDraft, type Draft } from './drafts.ts'
import { linkOf } from './query-link.ts'

/** The query tabs; drafts stay in this browser, and a dot marks those that differ from their named query. */
export function QueryTabs(props: {
  drafts: readonly Draft[]
  shown: Draft
  /** Absent: the key may not name queries. */
  onName?: (() => unknown) | undefined
  onCopyLink: () => unknown
}) {
  const { drafts, shown, onName, onCopyLink } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex line everywhere
    <div class="sql-tabs" role="group" aria-label="Queries">
      {drafts.map((draft) => (
        <span key={draft.id} class="sql-tab">
          <button
            type="button"
            aria-label={isUnsaved(draft) ? `${draft.name}, not saved` : undefined}
            aria-pressed={draft.id === shown.id}
            onClick={() => chooseDraft(draft.id)}
          >
            {draft.name}
            {isUnsaved(draft) && <span class="sql-unsaved" title="Not saved" />}
          </button>
          {draft.id === shown.id && (
            <Button
              tone="quiet"
              size="small"
              icon="x"
              label={`Close ${draft.name}`}
              onPress={() => closeDraft(draft.id)}
            />
          )}
        </span>
      ))}
      <Button tone="quiet" size="small" icon="plus" label="New query" onPress={() => addDraft()} />
      <span class="grow" />
      {onName && (
        <Button
          {...{ tone: 'quiet', size: 'small', icon: 'tag' }}
          reason={shown.text.trim() === '' ? 'There is no text yet.' : null}
          onPress={onName}
        >
          {shown.queryId ? 'Save' : 'Name'}
        </Button>
      )}
      <Button
        {...{ tone: 'quiet', size: 'small', icon: 'link' }}
        reason={linkOf(shown.text) === null ? 'The text is too long for a link.' : null}
        onPress={onCopyLink}
      >
        Copy link
      </Button>
    </div>
  )
}

const isUnsaved = ({ queryId, text, savedText }: Draft): boolean => Boolean(queryId) && text !== savedText
