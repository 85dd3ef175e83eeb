import type { ComponentChildren, Ref } from 'preact'
import { useId, useState } from 'preact/hooks'
import './button.css'
import { Icon, type IconName } from './icon.tsx'

export interface ButtonProps {
  children?: ComponentChildren
  /** One primary button per page; danger destroys. */
  tone?: 'plain' | 'primary' | 'quiet' | 'danger'
  size?: 'small' | 'large'
  icon?: IconName
  /** The accessible name of a button that shows its icon alone. */
  label?: string
  /** A link that looks like a button. */
  href?: string
  download?: string | boolean
  /** The link opens a sheet: the page stays where it is scrolled to. */
  stays?: boolean
  submit?: boolean
  /** Waits for an answer: the button turns, and does nothing. */
  isBusy?: boolean
  /** Why it cannot be used now: greyed, still reachable, and says so. */
  reason?: string | null | undefined
  /** While its promise is open the button is busy. */
  onPress?: (event: MouseEvent) => unknown
  isPressed?: boolean
  isExpanded?: boolean
  controls?: string
  hasPopup?: 'menu' | 'dialog' | 'listbox'
  current?: 'page' | 'true'
  buttonRef?: Ref<HTMLButtonElement>
  class?: string
  tabIndex?: number
  /** Names the button for rows and shortcuts, for example `row-menu`. */
  mark?: string
}

export function Button(props: ButtonProps) {
  const { children, tone = 'plain', size, icon, label, reason, onPress } = props
  const [isWaiting, setWaiting] = useState(false)
  const reasonId = useId()
  const isBusy = props.isBusy || isWaiting
  const classes = [
    ...['button', tone !== 'plain' && `button-${tone}`, size && `button-${size}`],
    ...[children === undefined && 'button-icon', props.class],
  ]
  const inside = (
    <>
      {isBusy ? <Icon name="busy" turns /> : icon && <Icon name={icon} />}
      {children}
    </>
  )
  const shared = {
    class: classes.filter(Boolean).join(' '),
    'aria-label': label,
    ...(label !== undefined && children === undefined ? { 'data-tip': reason ?? label } : {}),
  }
  if (props.href !== undefined && !reason) {
    return (
      <a
        {...shared}
        href={props.href}
        download={props.download}
        aria-current={props.current}
        data-stays={props.stays}
      >
        {inside}
      </a>
    )
  }
  const press = (event: MouseEvent) => {
    if (reason || isBusy) {
      event.preventDefault()
      return
    }
    const result = onPress?.(event)
    if (!(result instanceof Promise)) return
    setWaiting(true)
    void result.finally(() => setWaiting(false))
  }
  return (
    <button
      {...shared}
      ref={props.buttonRef ?? null}
      type={props.submit ? 'submit' : 'button'}
      onClick={press}
      tabIndex={props.tabIndex}
      aria-busy={isBusy || undefined}
      aria-disabled={reason ? true : undefined}
      aria-describedby={reason ? reasonId : undefined}
      aria-pressed={props.isPressed}
      aria-expanded={props.isExpanded}
      aria-controls={props.controls}
      aria-haspopup={props.hasPopup}
      data-tip={reason || shared['data-tip']}
      data-mark={props.mark}
    >
      {inside}
      {reason && (
        <span class="sr" id={reasonId}>
          {reason}
        </span>
      )}
    </button>
  )
}
