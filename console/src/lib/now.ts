import { signal } from '@preact/signals'

/** The time, once a second while the tab is seen: relative times follow it. */
export const now = signal(Date.now())

export function startNow(): void {
  const tick = () => {
    if (document.visibilityState === 'visible') now.value = Date.now()
  }
  setInterval(tick, 1000)
  document.addEventListener('visibilitychange', tick)
}
