/**
 * The address of the page as signals, and the only place that changes it. A page whose form has changes sets a guard:
 * whoever would leave is asked first, also by the browser's own buttons.
 */
import { signal } from '@preact/signals'

export const path = signal('/')
export const search = signal('')

/** Answers whether the page may be left. */
export type Guard = () => Promise<boolean>

let guard: Guard | null = null
let position = 0
let isReturning = false

/** Returns the function that takes the guard away. */
export function guardLeaving(ask: Guard): () => void {
  guard = ask
  return () => {
    if (guard === ask) guard = null
  }
}

/** Whether a closing tab should be asked about. */
export const isGuarded = (): boolean => guard !== null

export interface NavigateOptions {
  replace?: boolean
  /** The page stays where it is scrolled to: a sheet opens over it, or closes. */
  stays?: boolean
  /** What the page guards was saved: nobody is asked. */
  isSaved?: boolean
}

/** Goes to a path of the console. A change of the query alone is no leaving. */
export async function navigate(to: string, options: NavigateOptions = {}): Promise<void> {
  const url = new URL(to, location.href)
  if (options.isSaved) guard = null
  if (url.pathname !== location.pathname && !(await mayLeave())) return
  if (options.replace) history.replaceState({ position }, '', url)
  else {
    position += 1
    history.pushState({ position }, '', url)
  }
  read()
  if (!options.replace && !options.stays && url.hash === '') scrollTo(0, 0)
}

/** Follows the browser, and takes over clicks on links within the console. */
export function startAddress(): void {
  const { state } = history as { state: { position?: number } | null }
  position = state?.position ?? 0
  history.replaceState({ position }, '')
  read()
  addEventListener('popstate', (event: PopStateEvent) => void followHistory(event))
  addEventListener('beforeunload', (event) => {
    if (guard) event.preventDefault()
  })
  document.addEventListener('click', (event) => {
    const link = ownLink(event)
    if (link === null) return
    event.preventDefault()
    void navigate(`${link.pathname}${link.search}${link.hash}`, {
      stays: link.dataset['stays'] !== undefined,
    })
  })
}

/** The browser has moved already: a guarded page is restored first, and left only when that is agreed to. */
async function followHistory(event: PopStateEvent): Promise<void> {
  const reached = (event.state as { position?: number } | null)?.position ?? 0
  if (isReturning) {
    isReturning = false
    return
  }
  const distance = reached - position
  if (guard && location.pathname !== path.value && distance !== 0) {
    isReturning = true
    history.go(-distance)
    if (await mayLeave()) history.go(distance)
    return
  }
  position = reached
  read()
}

async function mayLeave(): Promise<boolean> {
  if (!guard) return true
  if (!(await guard())) return false
  guard = null
  return true
}

function read(): void {
  path.value = location.pathname
  search.value = location.search
}

/** Paths that the server answers itself. */
const served = /^\/(v1|api|docs|metrics|healthz|readyz)(\/|$)/

function ownLink(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0) return null
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null
  const link = (event.target as Element | null)?.closest?.('a[href]')
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return null
  if (link.origin !== location.origin || served.test(link.pathname)) return null
  const isAnchor = link.pathname === location.pathname && link.search === location.search && link.hash !== ''
  return isAnchor ? null : link
}
