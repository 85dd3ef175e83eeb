import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { windowOf } from '../lib/row-window.ts'

const threshold = 200
const first = { from: 0, to: 60 }

/** Which rows are in view of the page; `before` and `after` are the heights of the others, in pixels. */
export function useVirtualRows(body: RefObject<HTMLElement | null>, count: number) {
  const [view, setView] = useState({ ...first, height: 0 })
  const isVirtual = count > threshold
  useEffect(() => {
    if (!isVirtual) return
    const measure = () => {
      const element = body.current
      const row = element?.querySelector('tr:not(.data-table-space)')
      const height = row?.getBoundingClientRect().height ?? 0
      if (!element || height === 0) return
      const next = windowOf({
        ...{ top: -element.getBoundingClientRect().top, height: innerHeight, rowHeight: height, count },
      })
      setView((old) => (old.from === next.from && old.to === next.to ? old : { ...next, height }))
    }
    measure()
    addEventListener('scroll', measure, { passive: true, capture: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure, { capture: true })
      removeEventListener('resize', measure)
    }
  }, [isVirtual, count, body])
  if (!isVirtual) return { from: 0, to: count, before: 0, after: 0 }
  const to = Math.min(view.to, count)
  const from = Math.min(view.from, to)
  return { from, to, before: from * view.height, after: (count - to) * view.height }
}
