import type { ComponentChildren } from 'preact'
import './empty.css'
import { Icon, type IconName } from './icon.tsx'

/** Nothing is here: what it is for, and how it begins. */
export function Empty(props: {
  icon?: IconName
  title: string
  children?: ComponentChildren
  actions?: ComponentChildren
}) {
  const { icon, title, children, actions } = props
  return (
    <div class="empty">
      {icon && <Icon name={icon} />}
      <p class="empty-title">{title}</p>
      {children && <p class="empty-text">{children}</p>}
      {actions && <span class="actions">{actions}</span>}
    </div>
  )
}
