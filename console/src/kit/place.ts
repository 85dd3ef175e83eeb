/** Puts a popover beside its anchor: beneath it if there is room, else above, and always inside the window. */
export function placeBeside(
  pop: HTMLElement,
  anchor: Element,
  side: 'start' | 'end' = 'start',
  gap = 4,
): void {
  const at = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = pop
  const margin = 8
  const isBelow = at.bottom + gap + height + margin <= innerHeight || at.top < height + gap + margin
  const left = side === 'end' ? at.right - width : at.left
  const top = isBelow ? at.bottom + gap : at.top - gap - height
  pop.style.setProperty('left', `${bounded(left, margin, innerWidth - width - margin)}px`)
  pop.style.setProperty('top', `${bounded(top, margin, innerHeight - height - margin)}px`)
}

const bounded = (value: number, least: number, most: number): number => Math.max(least, Math.min(value, most))
