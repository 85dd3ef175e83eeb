import './named.css'
import { StateIcon } from './badge.tsx'
import type { StateLook } from './states.ts'

/** The first cell of a list: state icon, name as link, and beneath it the word of the state with the server's reason. */
export function Named(props: { look: StateLook; value: string; name: string; href: string; reason: string }) {
  const { look, value, name, href, reason } = props
  return (
    <div class="named" data-hue={look.hue}>
      <StateIcon look={look} value={value} />
      <a class="named-link" href={href} data-mark="row-link">
        {name}
      </a>
      <Reason look={look} reason={reason} />
    </div>
  )
}

/** `Degraded · 2 of 3 replicas serve`: a state is never without its reason. */
export function Reason({ look, reason }: { look: StateLook; reason: string }) {
  return (
    <span class="reason" data-hue={look.hue}>
      <b>{look.word}</b>
      {reason !== '' && ` · ${reason}`}
    </span>
  )
}
