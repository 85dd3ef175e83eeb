import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, type ButtonProps } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import './menu.css'
import { openBeside } from './open-beside.ts'

export interface MenuItem {
  name: string
  icon?: IconName
  href?: string
  onPress?: () => unknown
  isDangerous?: boolean
  /** Why the state does not take it now; the item stays and says so. */
  reason?: string | null | undefined
  keys?: string
}

/** Null and false entries are left out, so that a key without the right has no item; `'line'` divides. */
export type MenuEntry = MenuItem | 'line' | null | false

interface MenuProps extends Pick<ButtonProps, 'icon' | 'tone' | 'size' | 'children' | 'mark'> {
  label: string
  entries: readonly MenuEntry[]
}

/** A button that opens a menu: arrows move, letters jump, Esc gives the focus back. */
export function Menu({ label, entries, icon = 'more', tone = 'quiet', size = 'small', ...rest }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = () => setOpen(false)
  const shown = entries.filter((entry) => entry !== null && entry !== false)
  if (!shown.some((entry) => entry !== 'line')) return null
  return (
    <>
      <Button
        {...rest}
        {...{ icon, tone, size, label }}
        buttonRef={button}
        hasPopup="menu"
        isExpanded={isOpen}
        {...(isOpen ? { controls: id } : {})}
        onPress={() => setOpen(!isOpen)}
      />
      {isOpen && <MenuList id={id} label={label} entries={shown} anchor={button.current} onClose={close} />}
    </>
  )
}

function MenuList(props: {
  id: string
  label: string
  entries: readonly (MenuItem | 'line')[]
  anchor: HTMLElement | null
  onClose: () => void
}) {
  const { id, label, entries, anchor, onClose } = props
  const ref = useRef<HTMLDivElement>(null)
  const typed = useRef('')
  // The menu is placed once, when it opens.
  useEffect(() => {
    const menu = ref.current
    if (!menu || !anchor) return
    const unwatch = openBeside(menu, anchor, onClose, 'end')
    itemsOf(menu)[0]?.focus()
    const onScroll = (event: Event) => !menu.contains(event.target as Node) && onClose()
    addEventListener('resize', onClose)
    addEventListener('scroll', onScroll, { capture: true, passive: true })
    return () => {
      unwatch()
      removeEventListener('resize', onClose)
      removeEventListener('scroll', onScroll, { capture: true })
    }
  }, [])
  const onKey = (event: KeyboardEvent) => {
    const menu = ref.current
    if (!menu) return
    const items = itemsOf(menu)
    const at = items.indexOf(document.activeElement as HTMLElement)
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
    if (event.key === 'Escape' || event.key === 'Tab') {
      anchor?.focus()
      onClose()
    } else if (event.key in moves) {
      items.at((moves[event.key] ?? 0) % items.length)?.focus()
    } else if (event.key.length === 1 && event.key !== ' ') {
      typed.current += event.key.toLowerCase()
      setTimeout(() => {
        typed.current = ''
      }, 600)
      items.find((item) => item.textContent?.trim().toLowerCase().startsWith(typed.current))?.focus()
    } else return
    event.stopPropagation()
    if (event.key !== 'Tab') event.preventDefault()
  }
  const choose = (item: MenuItem, event: Event) => {
    if (item.reason) {
      event.preventDefault()
      return
    }
    anchor?.focus()
    onClose()
    void item.onPress?.()
  }
  return (
    <div
      ref={ref}
      class="menu"
      id={id}
      role="menu"
      aria-label={label}
      popover="manual"
      onKeyDown={onKey}
      tabIndex={-1}
    >
      {entries.map((entry, i) =>
        entry === 'line' ? <hr key={i} /> : <MenuLine key={entry.name} item={entry} onChoose={choose} />,
      )}
    </div>
  )
}

function MenuLine({ item, onChoose }: { item: MenuItem; onChoose: (item: MenuItem, event: Event) => void }) {
  const shared = {
    class: item.isDangerous ? 'menu-item menu-danger' : 'menu-item',
    role: 'menuitem',
    tabIndex: -1,
    'aria-disabled': item.reason ? true : undefined,
    onClick: (event: Event) => onChoose(item, event),
  } as const
  const inside = (
    <>
      {item.icon && <Icon name={item.icon} />}
      <span>
        {item.name}
        {item.reason && <span class="menu-reason">{item.reason}</span>}
      </span>
      {item.keys && <kbd class="menu-keys">{item.keys}</kbd>}
    </>
  )
  if (item.href !== undefined && !item.reason) {
    return (
      <a {...shared} href={item.href}>
        {inside}
      </a>
    )
  }
  return (
    <button {...shared} type="button">
      {inside}
    </button>
  )
}

const itemsOf = (menu: HTMLElement): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role="menuitem"]'),
]
