import './barn.css'

/** Kernels that fall: x, y, turn, size. */
const falling: readonly (readonly [number, number, number, number])[] = [
  [184, 84, 24, 1.3],
  [168, 116, -38, 1.2],
  [200, 134, 62, 1.1],
  [180, 166, 8, 1.35],
  [158, 186, -66, 1.1],
  [206, 196, -24, 1.2],
]

/** The heap: rows from the ground up, each with its first x and its count. */
const heap: readonly (readonly [x: number, y: number, count: number])[] = [
  [84, 284, 13],
  [112, 272, 10],
  [134, 260, 7],
  [162, 248, 4],
]

const kernel = 'M0-6C4.5-3 4.5 3 0 6-4.5 3-4.5-3 0-6Z'
const ear =
  'M3.4 0.5a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 0.5a8 8 0 0 0-8 8a8 8 0 0 0 8-8ZM3.4 8a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 8a8 8 0 0 0-8 8a8 8 0 0 0 8-8ZM3.4 15.5a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 15.5a8 8 0 0 0-8 8a8 8 0 0 0 8-8Z'

/** The granary with its first grain. */
export function Barn() {
  return (
    <svg class="barn" viewBox="0 -40 360 350" aria-hidden="true">
      <path d="M18 298H342" />
      <path class="barn-house" d="M64 118 180 38 296 118V298H64Z" />
      <path class="barn-slats" d="M66 158H294M66 204H294M66 250H294" />
      <path d="M64 118V298M296 118V298" />
      <path class="barn-roof" d="M44 131.5 180 38 316 131.5" />
      {falling.map(([x, y, turn, size]) => (
        <Kernel key={`${x} ${y}`} {...{ x, y, turn, size }} />
      ))}
      {heap.map(([first, y, count], row) =>
        Array.from({ length: count }, (_, i) => {
          const turn = -90 + ((53 * i + 31 * row) % 180)
          return <Kernel key={`${row} ${i}`} x={first + 16.4 * i} y={y} turn={turn} size={1.35} />
        }),
      )}
      <path class="barn-ear" transform="translate(153.6 -22) scale(2.2)" d={ear} />
    </svg>
  )
}

function Kernel({ x, y, turn, size }: { x: number; y: number; turn: number; size: number }) {
  return (
    <path class="barn-kernel" transform={`translate(${x} ${y}) rotate(${turn}) scale(${size})`} d={kernel} />
  )
}
