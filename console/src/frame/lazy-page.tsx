import { signal } from '@preact/signals'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { toApiError } from '../api/api-error.ts'
import { ErrorBox } from '../kit/error-box.tsx'
import { MarkLoading } from '../kit/mark.tsx'
import type { AnyPage, PageRoute } from '../routes.ts'
import { Page } from './page.tsx'

/** Pages that were fetched, by the pattern of their route. */
const fetched = signal<ReadonlyMap<string, AnyPage | { failure: unknown }>>(new Map())

/** The page of a route: fetched when it is first opened, kept after. A page keeps its state while the path leads to it, also by another pattern. */
export function LazyPage({ route, params }: { route: PageRoute; params: Record<string, string> }) {
  useEffect(() => void fetchPage(route), [route])
  const page = fetched.value.get(route.pattern)
  if (!page) return <MarkLoading text={`Loading ${route.title}`} />
  if (typeof page !== 'function') return <BrokenPage route={route} failure={page.failure} />
  const PageOfRoute = page
  return <Guarded key={page} route={route} children={<PageOfRoute params={params} />} />
}

/** Fetches the chunk of a page ahead, for example when its link is under the pointer. */
export async function fetchPage(route: PageRoute): Promise<void> {
  const known = fetched.value.get(route.pattern)
  if (typeof known === 'function') return
  const page = await route.load().catch((failure: unknown) => ({ failure }))
  fetched.value = new Map(fetched.value).set(route.pattern, page)
}

/** A fault in one page leaves the frame. */
function Guarded({ route, children }: { route: PageRoute; children: preact.ComponentChildren }) {
  const [failure, reset] = useErrorBoundary()
  if (failure) return <BrokenPage route={route} failure={failure} retry={reset} />
  return <>{children}</>
}

function BrokenPage(props: { route: PageRoute; failure: unknown; retry?: () => void }) {
  const { route, failure, retry = () => fetchPage(route) } = props
  return (
    <Page title={route.title}>
      <ErrorBox error={toApiError(failure)} retry={retry} />
    </Page>
  )
}
