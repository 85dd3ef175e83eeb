import './badge.css'
import { Icon } from './icon.tsx'
import type { StateLook } from './states.ts'

/** The state of the thing that the page is about, or of a list of one kind. */
export function Badge({ look, value }: { look: StateLook; value?: string }) {
  return (
    <span class="badge" data-hue={look.hue} title={value}>
      <Icon name={look.icon} size="small" turns={look.turns ?? false} />
      {look.word}
    </span>
  )
}

/** The state in a row or an entry of the navigation; the word stands beside it or is for screen readers. */
export function StateIcon({ look, value, says }: { look: StateLook; value?: string; says?: boolean }) {
  return (
    <span class="state-icon" data-hue={look.hue} title={value ?? look.word}>
      <Icon name={look.icon} size="small" turns={look.turns ?? false} />
      {says && <span class="sr">{look.word}</span>}
    </span>
  )
}
