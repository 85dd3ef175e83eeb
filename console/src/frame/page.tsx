import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import './page.css'

export interface Crumb {
  name: string
  href: string
}

export interface PageProps {
  /** The h1. */
  title: string
  /** The title of the document, where the h1 says something else. Default: the title. */
  documentTitle?: string
  /** What stands above in the breadcrumb; the page itself is the last one by itself. */
  crumbs?: readonly Crumb[]
  /** The name of the page in the breadcrumb. Default: the title. */
  crumb?: string
  /** Beside the title: the state. */
  badge?: ComponentChildren
  /** The one sentence that answers whether all is well. */
  lead?: ComponentChildren
  facts?: ComponentChildren
  actions?: ComponentChildren
  /** Of the page's data: it changes by itself. Absent = the live sign is not shown. */
  live?: Live
  /** `wide` uses the whole width, `flush` has neither padding nor head: its h1 is for screen readers. */
  layout?: 'text' | 'wide' | 'flush'
  children: ComponentChildren
}

/** Whether data that changes by itself is fresh: when it was answered, and whether the last try went well. */
export interface Live {
  answeredAt: number | null
  isOld: boolean
}

/** What the top bar shows of the page. */
export const pageHead = signal<{ crumbs: readonly Crumb[]; crumb: string; live: Live | undefined }>({
  crumbs: [],
  crumb: '',
  live: undefined,
})

/** How many things of the organization need a person; shown in the title of the document. */
export const needsCount = signal(0)

/** The frame of every page: its title, its place, its actions. The focus goes to the h1 when the page opens. */
export function Page(props: PageProps) {
  const {
    title,
    crumbs = [],
    crumb = title,
    badge,
    lead,
    facts,
    actions,
    live,
    layout = 'text',
    children,
  } = props
  const heading = useRef<HTMLHeadingElement>(null)
  const documentTitle = props.documentTitle ?? title
  const crumbKey = JSON.stringify(crumbs)
  const liveKey = JSON.stringify(live)
  // The keys stand for crumbs and sign.
  useEffect(() => {
    pageHead.value = { crumbs, crumb, live }
  }, [crumbKey, crumb, liveKey])
  const needs = needsCount.value
  useEffect(() => {
    document.title = `${needs > 0 ? `! ${needs} · ` : ''}${documentTitle} · Granary`
  }, [documentTitle, needs])
  useEffect(() => {
    // A dialog or a field of the page may have taken the focus already.
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body || !activeElement.closest('main, dialog')) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [])
  const h1 = (
    <h1 ref={heading} tabIndex={-1} class={layout === 'flush' ? 'sr' : undefined}>
      {title}
    </h1>
  )
  return (
    <div class={layout === 'text' ? 'page' : `page page-${layout}`}>
      {layout === 'flush' ? (
        h1
      ) : (
        <header class="page-head">
          <div>
            <div class="page-title">
              {h1}
              {badge}
            </div>
            {lead && <p class="page-lead">{lead}</p>}
            {facts && <div class="page-facts">{facts}</div>}
          </div>
          {actions && <div class="actions">{actions}</div>}
        </header>
      )}
      {children}
    </div>
  )
}
