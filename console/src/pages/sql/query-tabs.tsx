import { Button } from '../../kit/button.tsx'
import { addDraft, chooseDraft, closeDraft, type Draft } from './drafts.ts'

/** The query tabs; they and their texts stay in this browser. */
export function QueryTabs({ drafts, shown }: { drafts: readonly Draft[]; shown: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex line everywhere
    <div class="sql-tabs" role="group" aria-label="Queries">
      {drafts.map(({ id, name }) => (
        <span key={id} class="sql-tab">
          <button type="button" aria-pressed={id === shown} onClick={() => chooseDraft(id)}>
            {name}
          </button>
          {id === shown && (
            <Button
              tone="quiet"
              size="small"
              icon="x"
              label={`Close ${name}`}
              onPress={() => closeDraft(id)}
            />
          )}
        </span>
      ))}
      <Button tone="quiet" size="small" icon="plus" label="New query" onPress={() => addDraft()} />
    </div>
  )
}
