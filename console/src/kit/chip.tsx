import type { ComponentChildren } from 'preact'
import './chip.css'
import { Icon, type IconName } from './icon.tsx'

/** A short fact: a role, a tag, "kept in a file". */
export function Chip({ icon, children }: { icon?: IconName; children: ComponentChildren }) {
  return (
    <span class="chip">
      {icon && <Icon name={icon} size="tiny" />}
      {children}
    </span>
  )
}
