import type { ComponentChildren } from 'preact'
import { useFade } from './fade.ts'
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

function Figure({ value, unit, exact }: Pick<LedgerItem, 'value' | 'unit' | 'exact'>) {
  const ref = useFade<HTMLElement>()
  return (
    <dd ref={ref} title={exact}>
      {value} {unit && <small>{unit}</small>}
    </dd>
  )
}

/** Figures on one line, divided by hairlines. */
export function Ledger({ items }: { items: readonly LedgerItem[] }) {
  return (
    <dl class="ledger">
      {items.map(({ name, value, unit, href, exact, course }) => (
        <div class="ledger-item" key={name}>
          <dt>{href ? <a href={href}>{name}</a> : name}</dt>
          <Figure {...{ value, unit, exact }} />
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
