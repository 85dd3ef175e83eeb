import type { ComponentChildren } from 'preact'
import './facts.css'

export type Fact = readonly [name: string, value: ComponentChildren]

/** Names and values, one per line; or in one line beneath a title. Facts without a value are left out. */
export function Facts({ facts, isInline = false }: { facts: readonly Fact[]; isInline?: boolean }) {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return (
    <dl class={isInline ? 'facts-inline' : 'facts'}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
