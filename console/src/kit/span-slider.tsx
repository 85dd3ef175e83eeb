import './span-slider.css'
import { useCssVars } from './css-vars.ts'

export interface SliderMark {
  kind: 'now' | 'peak'
  value: number
}

interface SpanSliderProps {
  labels: readonly [low: string, high: string]
  unit: string
  min: number
  max: number
  step: number
  low: number
  high: number
  onChange: (low: number, high: number) => void
  marks?: readonly SliderMark[]
}

/** Two thumbs on one track. A thumb that would cross the other takes it along. */
export function SpanSlider(props: SpanSliderProps) {
  const { labels, unit, min, max, step, low, high, onChange, marks = [] } = props
  const share = (value: number) => Math.min(1, Math.max(0, (value - min) / (max - min)))
  const ref = useCssVars<HTMLDivElement>({ '--low': share(low), '--high': share(high) })
  const input = (label: string, value: number, change: (value: number) => void) => (
    <input
      type="range"
      aria-label={`${label}, slider`}
      aria-valuetext={`${value} ${unit}`}
      {...{ min, max, step, value }}
      onInput={(event) => change(event.currentTarget.valueAsNumber)}
    />
  )
  return (
    <div class="span-slider">
      <div class="span-slider-bar" ref={ref}>
        <span class="span-slider-track" />
        <span class="span-slider-part" />
        {marks.map((mark) => (
          <Mark key={mark.kind} kind={mark.kind} share={share(mark.value)} />
        ))}
        {input(labels[0], low, (value) => onChange(value, Math.max(value, high)))}
        {input(labels[1], high, (value) => onChange(Math.min(low, value), value))}
      </div>
      <div class="span-slider-scale" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((at) => (
          <span key={at}>{Math.round((min + at * (max - min)) / step) * step}</span>
        ))}
      </div>
    </div>
  )
}

function Mark({ kind, share }: { kind: SliderMark['kind']; share: number }) {
  const ref = useCssVars<HTMLSpanElement>({ '--at': share })
  return <span class={`span-slider-mark span-slider-${kind}`} ref={ref} />
}

/** What a mark on the track means, with its value. */
export function MarkWord({ kind, children }: { kind: SliderMark['kind']; children: string }) {
  return (
    <span class="span-slider-word">
      <i class={`span-slider-key span-slider-${kind}`} />
      {children}
    </span>
  )
}
