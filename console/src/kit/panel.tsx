import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import './panel.css'

export interface PanelProps {
  title: string
  /** Beside the title, quieter: a count, a range. */
  note?: ComponentChildren
  tools?: ComponentChildren
  foot?: ComponentChildren
  /** Lists and tables reach the edges; text has padding. */
  isPadded?: boolean
  class?: string
  id?: string
  children: ComponentChildren
}

/** A region of a page with a title. Panels do not contain panels. */
export function Panel({ title, note, tools, foot, isPadded, children, ...rest }: PanelProps) {
  const id = useId()
  return (
    <section class={`panel ${rest.class ?? ''}`} id={rest.id} aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span class="sub">{note}</span>}
        {tools && <span class="panel-tools">{tools}</span>}
      </header>
      {isPadded ? <div class="panel-body">{children}</div> : children}
      {foot && <footer class="panel-foot">{foot}</footer>}
    </section>
  )
}
