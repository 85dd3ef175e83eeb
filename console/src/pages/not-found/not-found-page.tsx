import { Page } from '../../frame/page.tsx'
import { seenSections } from '../../frame/seen-sections.ts'
import { Icon } from '../../kit/icon.tsx'
import { path } from '../../lib/address.ts'
import './not-found-page.css'

/** A path that no page has: names it, and shows the nearest ones. */
export function NotFoundPage() {
  const sought = path.value
  const all = seenSections()
  const near = all.filter(({ href }) => href !== '/' && sought.startsWith(href.slice(0, 4)))
  const shown = near.length > 0 ? near : all.slice(0, 6)
  return (
    <Page
      title="Nothing is here"
      lead={
        <>
          No page has the address <code>{sought}</code>.{' '}
          {near.length > 0 ? 'Perhaps you want:' : 'These exist:'}
        </>
      }
    >
      <ul class="not-found">
        {shown.map(({ id, href, icon, name }) => (
          <li key={id}>
            <a href={href}>
              <Icon name={icon} /> {name}
            </a>
          </li>
        ))}
      </ul>
    </Page>
  )
}
