import './mark.css'

const pairs = [
  'M3.4 0.5a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 0.5a8 8 0 0 0-8 8a8 8 0 0 0 8-8Z',
  'M3.4 8a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 8a8 8 0 0 0-8 8a8 8 0 0 0 8-8Z',
  'M3.4 15.5a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 15.5a8 8 0 0 0-8 8a8 8 0 0 0 8-8Z',
] as const

/** The ear of wheat. */
export function Mark({ large = false }: { large?: boolean }) {
  return (
    <svg class={large ? 'mark mark-large' : 'mark'} viewBox="0 0 24 24" aria-hidden="true">
      <path fill="currentColor" d={pairs.join('')} />
    </svg>
  )
}

/** The mark as a level over a whole area: one pair full, two pale. */
export function MarkLevel() {
  return (
    <svg class="mark-level" viewBox="0 0 24 24" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      {pairs.map((pair, level) => (
        <path key={pair} class={`mark-level-${level}`} d={pair} />
      ))}
    </svg>
  )
}

/** The mark as loading sign: its pairs fill upward. */
export function MarkLoading({ text }: { text: string }) {
  return (
    <p class="mark-loading" role="status">
      <svg class="mark mark-large" viewBox="0 0 24 24" aria-hidden="true">
        {pairs.map((pair) => (
          <path key={pair} fill="currentColor" d={pair} />
        ))}
      </svg>
      <span class="sr">{text}</span>
    </p>
  )
}
