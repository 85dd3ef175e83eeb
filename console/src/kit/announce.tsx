import { signal } from '@preact/signals'

const said = signal('')

/** Says a sentence to screen readers, when they are free. The same sentence again is said again. */
export function announce(text: string): void {
  // A no-break space makes an equal text a different one.
  said.value = said.value === text ? `${text}\u00a0` : text
}

export function Announcer() {
  return (
    <div class="sr" role="status" aria-live="polite">
      {said.value}
    </div>
  )
}
