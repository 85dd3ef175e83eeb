import { useSignal } from '@preact/signals'
import { isDashboardOnly } from '../api/session.ts'
import { Icon } from '../kit/icon.tsx'
import { Sheet } from '../kit/sheet.tsx'
import './navigation.css'
import { SectionList, ServiceList, Who } from './navigation.tsx'
import { footSections, mainSections, type SectionId } from './sections.ts'
import { isSeen } from './seen-sections.ts'

const inBar: readonly { id: SectionId; name: string }[] = [
  { id: 'overview', name: 'Overview' },
  { id: 'sql', name: 'SQL' },
  { id: 'pipes', name: 'Pipes' },
  { id: 'dashboards', name: 'Boards' },
]

/** The navigation of a phone: four sections, and a sheet with all the rest. */
export function NavigationBar({ current, path }: { current: SectionId | null; path: string }) {
  const openedAt = useSignal<string | null>(null)
  const isOpen = openedAt.value === path
  const isToken = isDashboardOnly.value
  const shown = mainSections.filter((section) => inBar.some(({ id }) => id === section.id) && isSeen(section))
  return (
    <nav class="navigation-bar" aria-label="Sections">
      {shown.map(({ id, href, icon }) => (
        <a key={id} href={href} aria-current={id === current ? 'page' : undefined}>
          <Icon name={icon} />
          <span>{inBar.find((one) => one.id === id)?.name}</span>
        </a>
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => {
          openedAt.value = path
        }}
      >
        <Icon name="more" />
        <span>More</span>
      </button>
      {isOpen && (
        <Sheet
          title="Granary"
          onClose={() => {
            openedAt.value = null
          }}
        >
          <div class="navigation-more">
            <SectionList sections={[...mainSections, ...footSections]} current={current} />
            <a class="navigation-link" href="/docs">
              <Icon name="docs" /> <span class="navigation-name">API reference</span>
            </a>
            {!isToken && <ServiceList path={path} />}
            <Who />
          </div>
        </Sheet>
      )}
    </nav>
  )
}
