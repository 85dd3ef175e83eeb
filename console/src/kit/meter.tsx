import type { ComponentChildren } from 'preact'
import './meter.css'
import { useCssVars } from './css-vars.ts'

/** How much of something is in use. From 90 % on it is hot. The words beside it say the numbers. */
export function Meter({ share, tone, isLong }: { share: number; tone?: 'work'; isLong?: boolean }) {
  const bounded = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0))
  const ref = useCssVars<HTMLDivElement>({ '--share': bounded })
  const hot = tone === undefined && bounded >= 0.9
  const classes = ['meter', hot && 'meter-hot', tone && `meter-${tone}`, isLong && 'meter-long']
  return (
    <div class={classes.filter(Boolean).join(' ')} aria-hidden="true">
      <div class="meter-fill" ref={ref} />
    </div>
  )
}

/** The words above, the meter beneath. */
export function LabelledMeter({ share, children }: { share: number; children: ComponentChildren }) {
  return (
    <div class="meter-labelled">
      <span>{children}</span>
      <Meter share={share} />
    </div>
  )
}

/** Work with a known end, also told to screen readers. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const percent = total > 0 ? Math.min(100, Math.floor((100 * done) / total)) : 0
  return (
    <div role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
      <Meter share={total > 0 ? done / total : 0} tone="work" isLong />
    </div>
  )
}
