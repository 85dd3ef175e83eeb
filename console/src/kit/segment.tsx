import type { ComponentChildren } from 'preact'
import './segment.css'
import { Icon, type IconName } from './icon.tsx'

export interface SegmentOption<T extends string> {
  value: T
  name: ComponentChildren
  icon?: IconName
}

/** A choice among few, all of them visible: a range, a way to look at a result. */
export function Segment<T extends string>(props: {
  label: string
  options: readonly SegmentOption<T>[]
  value: T
  onChange: (value: T) => void
  isFull?: boolean
}) {
  const { label, options, value, onChange, isFull } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex line everywhere
    <div class={isFull ? 'segment segment-full' : 'segment'} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.icon && <Icon name={option.icon} />}
          {option.name}
        </button>
      ))}
    </div>
  )
}
