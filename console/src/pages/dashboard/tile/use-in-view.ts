import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Whether the element is in the window, or nearly so. */
export function useInView(ref: RefObject<HTMLElement | null>): boolean {
  const [isInView, setInView] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new IntersectionObserver(
      (entries) => setInView(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: '200px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return isInView
}
