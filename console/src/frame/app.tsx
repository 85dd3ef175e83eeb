import { useEffect } from 'preact/hooks'
import { isDashboardOnly, session } from '../api/session.ts'
import { Announcer } from '../kit/announce.tsx'
import { ConfirmHost } from '../kit/confirm.tsx'
import { IconSprite } from '../kit/icon.tsx'
import { MarkLoading } from '../kit/mark.tsx'
import { Toasts } from '../kit/toast.tsx'
import { TooltipHost } from '../kit/tooltip.tsx'
import { navigate, path, search } from '../lib/address.ts'
import { routeOfPath } from '../routes.ts'
import { AwayBar } from './away-bar.tsx'
import { CommonShortcuts } from './common-shortcuts.tsx'
import { HiddenPage } from './hidden-page.tsx'
import { LazyPage } from './lazy-page.tsx'
import { NeedsWatch } from './needs.tsx'
import { Palette } from './palette.tsx'
import { hiddenSection } from './seen-sections.ts'
import { Shell } from './shell.tsx'
import { SignInDialog } from './sign-in-dialog.tsx'

/** The page of the address in its frame, and everything that appears over pages. */
export function App() {
  return (
    <>
      <IconSprite />
      <Announcer />
      <Content />
      <SignInDialog />
      <ConfirmHost />
      <Toasts />
      <TooltipHost />
    </>
  )
}

function Content() {
  const { route, params } = routeOfPath(path.value)
  const isIn = session.value
  const needsSignIn = isIn === null && !route.isOpen
  useEffect(() => {
    if (!needsSignIn) return
    const here = `${path.peek()}${search.peek()}`
    void navigate(here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`, { replace: true })
  }, [needsSignIn])
  if (route.isOpen) return <LazyPage route={route} params={params} />
  if (!isIn) {
    return (
      <main>
        <AwayBar />
        <MarkLoading text="Loading the console" />
      </main>
    )
  }
  const hidden = hiddenSection(route.section)
  return (
    <Shell section={route.section} path={path.value}>
      <CommonShortcuts />
      <Palette />
      {!isDashboardOnly.value && <NeedsWatch />}
      {hidden ? <HiddenPage section={hidden} /> : <LazyPage route={route} params={params} />}
    </Shell>
  )
}
