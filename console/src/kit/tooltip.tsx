import { useEffect, useRef } from 'preact/hooks'
import { placeBeside } from './place.ts'
import './tooltip.css'

/**
 * The one tooltip of the page: it shows `data-tip` of what is under the pointer or has the focus. What it says is
 * also in the accessible name or description of the element, so that it is hidden from screen readers.
 */
export function TooltipHost() {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tip = ref.current
    if (!tip) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const hide = () => {
      clearTimeout(timer)
      if (tip.matches(':popover-open')) tip.hidePopover()
    }
    const show = (anchor: Element) => {
      const text = anchor.getAttribute('data-tip')
      if (!text || !anchor.isConnected) return
      tip.textContent = text
      tip.showPopover()
      placeBeside(tip, anchor, 'start', 6)
    }
    const onOver = (event: Event) => {
      hide()
      const anchor = (event.target as Element).closest?.('[data-tip]')
      const isFocus = event.type === 'focusin'
      if (!anchor || (isFocus && !anchor.matches(':focus-visible'))) return
      timer = setTimeout(() => show(anchor), isFocus ? 0 : 400)
    }
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && hide()
    document.addEventListener('pointerover', onOver)
    document.addEventListener('focusin', onOver)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('keydown', onKey)
    addEventListener('scroll', hide, { capture: true, passive: true })
    return () => {
      hide()
      document.removeEventListener('pointerover', onOver)
      document.removeEventListener('focusin', onOver)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('keydown', onKey)
      removeEventListener('scroll', hide, { capture: true })
    }
  }, [])
  return <div ref={ref} class="tooltip" popover="manual" aria-hidden="true" />
}
