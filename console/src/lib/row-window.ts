/** Rows beyond the edges of the view that are kept, so that a quick scroll meets no gap. */
const margin = 20
/** The window moves in steps, so that not every pixel draws anew. */
const step = 10

/** Which rows of one height are in view: `top` is how far the list is scrolled past the upper edge. */
export function windowOf(view: { top: number; height: number; rowHeight: number; count: number }): {
  from: number
  to: number
} {
  const { top, height, rowHeight, count } = view
  const firstSeen = Math.floor(Math.max(0, top) / rowHeight)
  const lastSeen = Math.ceil(Math.max(0, top + height) / rowHeight)
  const from = Math.max(0, Math.floor((firstSeen - margin) / step) * step)
  return { from: Math.min(from, count), to: Math.min(count, Math.ceil((lastSeen + margin) / step) * step) }
}
