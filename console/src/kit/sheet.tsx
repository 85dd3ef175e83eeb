import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Button } from './button.tsx'
import { useModal } from './dialog.tsx'
import './sheet.css'

export interface SheetProps {
  title: ComponentChildren
  /** Goes back to the list; the sheet has an address of its own. */
  onClose: () => void
  /** The neighbours in the list: also by the arrow keys. */
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  tools?: ComponentChildren
  children: ComponentChildren
}

/** Details over a list, at the side. */
export function Sheet({ title, onClose, onPrevious, onNext, tools, children }: SheetProps) {
  const ref = useModal()
  const id = useId()
  const hasNeighbours = onPrevious !== undefined || onNext !== undefined
  const onKey = (event: KeyboardEvent) => {
    if ((event.target as Element).closest('input, select, textarea, [role="menu"]')) return
    if (event.key === 'ArrowUp' && onPrevious) onPrevious()
    else if (event.key === 'ArrowDown' && onNext) onNext()
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={ref}
      class="sheet"
      aria-labelledby={id}
      onKeyDown={onKey}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => event.target === ref.current && onClose()}
    >
      <header class="sheet-head">
        <h2 id={id}>{title}</h2>
        {tools}
        {hasNeighbours && (
          <>
            <Button
              {...{ tone: 'quiet', size: 'small', icon: 'up', label: 'Previous' }}
              reason={onPrevious ? null : 'This is the first one.'}
              onPress={() => onPrevious?.()}
            />
            <Button
              {...{ tone: 'quiet', size: 'small', icon: 'down', label: 'Next' }}
              reason={onNext ? null : 'This is the last one.'}
              onPress={() => onNext?.()}
            />
          </>
        )}
        <Button tone="quiet" size="small" icon="x" label="Close" mark="first" onPress={onClose} />
      </header>
      <div class="sheet-body">{children}</div>
    </dialog>
  )
}
