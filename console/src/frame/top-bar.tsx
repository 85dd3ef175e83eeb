import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { Mark } from '../kit/mark.tsx'
import { LiveSign } from './live-sign.tsx'
import { pageHead } from './page.tsx'
import { openPalette } from './palette-state.ts'
import './top-bar.css'

/** Where the page is, and whether what it shows is live. */
export function TopBar() {
  const { crumbs, crumb } = pageHead.value
  return (
    <header class="top-bar">
      <a class="top-bar-mark" href="/" aria-label="Granary, overview">
        <Mark />
      </a>
      <nav class="top-bar-crumbs" aria-label="Breadcrumb">
        <ol>
          {crumbs.map(({ name, href }) => (
            <li key={href} class="top-bar-up">
              <a href={href}>{name}</a>
              <Icon name="right" size="tiny" />
            </li>
          ))}
          <li>
            <span aria-current="page">{crumb}</span>
          </li>
        </ol>
      </nav>
      <span class="grow" />
      <LiveSign />
      <Button
        class="top-bar-find"
        tone="quiet"
        icon="search"
        label="Search or jump"
        onPress={() => openPalette()}
      />
    </header>
  )
}
