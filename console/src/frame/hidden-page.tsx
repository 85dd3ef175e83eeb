import { useEffect } from 'preact/hooks'
import { isDashboardOnly } from '../api/session.ts'
import { Notice } from '../kit/notice.tsx'
import { navigate } from '../lib/address.ts'
import { Page } from './page.tsx'
import type { Section } from './sections.ts'
import { seenSections } from './seen-sections.ts'

/** In place of a page whose section the key does not reach: says so, and asks the server for nothing. */
export function HiddenPage({ section: { id, name } }: { section: Section }) {
  const first = seenSections()[0]
  // The overview is where a console opens: a key without it begins at what it sees.
  const instead = id === 'overview' && first ? first.href : null
  useEffect(() => {
    if (instead !== null) void navigate(instead, { replace: true })
  }, [instead])
  return (
    <Page title={name}>
      <Notice hue="rest">
        {isDashboardOnly.value
          ? 'A dashboard token sees dashboards, alerts and sources only.'
          : `This key is for some services only: it does not see ${name.toLowerCase()}.`}
      </Notice>
    </Page>
  )
}
