import './tabs.css'
import { path } from '../lib/address.ts'

export interface Tab {
  name: string
  href: string
  count?: number | undefined
}

/** The parts of a thing, each with an address of its own: links, so that each view can be shared. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={path.value === tab.href ? 'page' : undefined}>
          {tab.name}
          {tab.count !== undefined && <span class="tabs-count">{tab.count}</span>}
        </a>
      ))}
    </nav>
  )
}
