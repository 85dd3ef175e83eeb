import { useShortcuts } from '../../frame/shortcuts.ts'
import { Button } from '../../kit/button.tsx'
import { type Past, redo, undo } from '../../lib/past.ts'

/** The buttons and keys of a draft that goes back and forth. */
export function UndoRedo<T>(props: {
  past: Past<T>
  onChange: (change: (past: Past<T>) => Past<T>) => void
}) {
  const { past, onChange } = props
  const keys = [
    { keys: 'Mod+z', name: 'Undo', run: () => onChange(undo) },
    { keys: 'Mod+Shift+z', name: 'Redo', run: () => onChange(redo) },
    { keys: 'Mod+Z', name: 'Redo', run: () => onChange(redo) },
  ]
  useShortcuts('Changes', keys)
  return (
    <>
      <Button
        icon="undo"
        label="Undo"
        reason={past.before.length === 0 ? 'There is nothing to undo.' : null}
        onPress={() => onChange(undo)}
      />
      <Button
        icon="undo"
        class="redo"
        label="Redo"
        reason={past.after.length === 0 ? 'There is nothing to do again.' : null}
        onPress={() => onChange(redo)}
      />
    </>
  )
}
