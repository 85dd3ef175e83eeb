import type { ComponentChildren } from 'preact'
import './ledger.css'
import { Sparkline } from './sparkline.tsx'

export interface LedgerItem {
  name: string
  value: string
  unit?: ComponentChildren
  /** Opens the matching view. */
  href?: string | undefined
  /** The exact value, in the tooltip. */
  exact?: string | undefined
  course?: readonly (number | null)[] | undefined
}

/** Figures on one line, divided by hairlines. */
export function Ledger({ items }: { items: readonly LedgerItem[] }) {
  return (
    <dl class="ledger">
      {items.map(({ name, value, unit, href, exact, course }) => (
        <div class="ledger-item" key={name}>
          <dt>{href ? <a href={href}>{name}</a> : name}</dt>
          <dd title={exact}>
            {value} {unit && <small>{unit}</small>}
          </dd>
          {course && (
            <dd class="ledger-spark" aria-hidden="true">
              <Sparkline values={course} class="ledger-spark" />
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}
