import { counted } from '../lib/words.ts'
import './silo.css'

export interface SiloProps {
  /** `off`: asleep, stopped or starting. `broken`: it should serve and does not. */
  state: 'serves' | 'off' | 'broken'
  /** Memory in use as a share of its limit. */
  share: number
  isWriter: boolean
}

/** A replica as a small store: its filling is the memory in use, the writer stands on a line. */
export function Silo({ state, share, isWriter, isBig = false }: SiloProps & { isBig?: boolean }) {
  const filled = Math.min(1, Math.max(0, share))
  const top = 14.5 - filled * 8.9
  const classes = ['silo', isBig && 'silo-big', state !== 'serves' && `silo-${state}`]
  const grain = filled >= 0.9 ? 'silo-grain silo-hot' : 'silo-grain'
  return (
    <svg class={classes.filter(Boolean).join(' ')} viewBox="0 0 13 18" aria-hidden="true">
      <path class="silo-wall" d="M1 5.2 6.5 1 12 5.2V15H1Z" />
      {state === 'serves' && <path class={grain} d={`M1.5 ${top}h10V14.5h-10Z`} />}
      {state === 'serves' && isBig && <path class="silo-level" d={`M1.5 ${top}h10v.4h-10Z`} />}
      {isWriter && <path class="silo-base" d={isBig ? 'M1 16h11v.5h-11z' : 'M1 16.6h11v1.4h-11z'} />}
    </svg>
  )
}

/** The replicas of a service, writer first; more than eight are drawn as the first eight and a count. */
export function Silos({ silos }: { silos: readonly SiloProps[] }) {
  const serving = silos.filter((silo) => silo.state === 'serves').length
  const label = `${counted(silos.length, 'replica')}, ${serving === 0 ? 'none serves' : `${serving} serving`}`
  return (
    <span class="silos" role="img" aria-label={label}>
      {silos.slice(0, 8).map((silo, i) => (
        <Silo key={i} {...silo} />
      ))}
      {silos.length > 8 && <small class="muted">+{silos.length - 8}</small>}
    </span>
  )
}
