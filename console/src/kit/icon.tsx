import './icon.css'
import { type IconName, iconShapes } from './icon-shapes.ts'

export type { IconName }

/** A picture beside words, never instead of them: screen readers do not see it. */
export function Icon(props: { name: IconName; size?: 'small' | 'tiny'; turns?: boolean }) {
  const { name, size, turns } = props
  const classes = ['icon', size && `icon-${size}`, turns && 'icon-turns'].filter(Boolean).join(' ')
  return (
    <svg class={classes} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  )
}

/** All icons once in the page; `Icon` refers to them. */
export function IconSprite() {
  return (
    <svg hidden aria-hidden="true">
      {Object.entries(iconShapes).map(([name, shape]: [string, Shape]) => (
        <symbol key={name} id={`i-${name}`} viewBox="0 0 16 16">
          {shape.line && <path d={shape.line} {...stroke} />}
          {shape.dashed && (
            <path d={shape.dashed} {...stroke} stroke-linecap="butt" stroke-dasharray="2.6 2.15" />
          )}
          {shape.fill && <path d={shape.fill} fill="currentColor" />}
        </symbol>
      ))}
    </svg>
  )
}

const stroke = {
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '1.5',
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
} as const

interface Shape {
  line?: string
  dashed?: string
  fill?: string
}
