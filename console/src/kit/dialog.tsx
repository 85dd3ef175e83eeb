import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import './dialog.css'

export interface DialogProps {
  title: ComponentChildren
  text?: ComponentChildren
  /** Esc and a click beside it. Absent: the dialog closes by its buttons alone. */
  onClose?: () => void
  isWide?: boolean
  children?: ComponentChildren
}

/** A modal dialog: the page behind is inert, the focus stays inside and returns to where it was. */
export function Dialog({ title, text, onClose, isWide, children }: DialogProps) {
  const ref = useModal()
  const id = useId()
  return (
    <dialog
      ref={ref}
      class={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={`${id}-title`}
      aria-describedby={text ? `${id}-text` : undefined}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onPointerDown={(event) => event.target === ref.current && onClose?.()}
    >
      <div class="dialog-inside">
        <h2 class="dialog-title" id={`${id}-title`}>
          {title}
        </h2>
        {text && (
          <p class="dialog-text" id={`${id}-text`}>
            {text}
          </p>
        )}
        {children}
      </div>
    </dialog>
  )
}

/** A ref whose dialog is modal while its component is there; the focus then goes back. */
export function useModal() {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const dialog = ref.current
    if (!dialog) return
    dialog.showModal()
    dialog.querySelector<HTMLElement>('[data-mark="first"]')?.focus()
    return () => {
      dialog.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return ref
}
