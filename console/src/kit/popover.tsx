import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, type ButtonProps } from './button.tsx'
import { openBeside } from './open-beside.ts'
import './popover.css'

interface PopoverProps extends Pick<ButtonProps, 'icon' | 'tone' | 'size' | 'class'> {
  /** The accessible name of the button and of what opens. */
  label: string
  /** What the button shows. */
  text: ComponentChildren
  children: (close: () => void) => ComponentChildren
}

/** A button that opens a small dialog beside it; Esc and a click elsewhere close it. The first field has the focus. */
export function Popover({ label, text, children, ...rest }: PopoverProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const pop = useRef<HTMLDivElement>(null)
  const id = useId()
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  useEffect(() => {
    const shown = pop.current
    const anchor = button.current
    if (!isOpen || !shown || !anchor) return
    const unwatch = openBeside(shown, anchor, () => setOpen(false))
    shown.querySelector<HTMLElement>('input, select, button')?.focus()
    return unwatch
  }, [isOpen])
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    event.preventDefault()
    close()
  }
  return (
    <>
      <Button
        {...rest}
        label={label}
        buttonRef={button}
        hasPopup="dialog"
        isExpanded={isOpen}
        {...(isOpen ? { controls: id } : {})}
        onPress={() => setOpen(!isOpen)}
      >
        {text}
      </Button>
      {isOpen && (
        <div
          ref={pop}
          class="popover"
          id={id}
          role="dialog"
          aria-label={label}
          popover="manual"
          tabIndex={-1}
          onKeyDown={onKey}
        >
          {children(close)}
        </div>
      )}
    </>
  )
}
