import type { ComponentChildren } from 'preact'
import { AwayBar } from './away-bar.tsx'
import { Navigation } from './navigation.tsx'
import { NavigationBar } from './navigation-bar.tsx'
import type { SectionId } from './sections.ts'
import './shell.css'
import { TopBar } from './top-bar.tsx'

/** Navigation, top bar and the page. */
export function Shell(props: { section: SectionId | null; path: string; children: ComponentChildren }) {
  const { section, path, children } = props
  return (
    <div class="shell">
      <a class="shell-skip" href="#main">
        Skip to content
      </a>
      <Navigation current={section} path={path} />
      <TopBar />
      <AwayBar />
      <main class="shell-main" id="main" tabIndex={-1}>
        {children}
      </main>
      <NavigationBar current={section} path={path} />
    </div>
  )
}
