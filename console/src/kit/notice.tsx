import type { ComponentChildren } from 'preact'
import './notice.css'
import { Icon, type IconName } from './icon.tsx'
import type { Hue } from './states.ts'

const icons: Record<Hue, IconName> = {
  ...{ ok: 'done', sleep: 'moon', busy: 'busy', warn: 'warn', bad: 'failed', rest: 'lock' },
}

export interface NoticeProps {
  hue: Hue
  icon?: IconName
  /** What is, in one sentence; the text beside it says why and what to do. */
  title?: ComponentChildren
  children?: ComponentChildren
  actions?: ComponentChildren
  /** `alert` speaks at once, `status` when the reader is free. Default: it does not speak by itself. */
  role?: 'alert' | 'status'
}

/** A sentence about the page, in the hue of a state. */
export function Notice({ hue, icon = icons[hue], title, children, actions, role }: NoticeProps) {
  return (
    <div class="notice" data-hue={hue} role={role}>
      <Icon name={icon} turns={icon === 'busy'} />
      <p class="notice-text">
        {title && <b>{title} </b>}
        {children}
      </p>
      {actions && <span class="actions">{actions}</span>}
    </div>
  )
}
