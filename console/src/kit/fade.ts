import { useEffect, useRef } from 'preact/hooks'

const fadeMs = 320

/** A ref whose element fades its background when its text becomes another. Relative times change by themselves: they do not. */
export function useFade<E extends HTMLElement>() {
  const ref = useRef<E>(null)
  const before = useRef<string | null>(null)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const text = element.textContent
    const isChanged = before.current !== null && before.current !== text
    before.current = text
    if (!isChanged || element.querySelector('time') || isMotionReduced()) return
    element.animate([{ backgroundColor: 'var(--selected)' }, {}], { duration: fadeMs, easing: 'ease-out' })
  })
  return ref
}

const isMotionReduced = () => matchMedia('(prefers-reduced-motion: reduce)').matches
