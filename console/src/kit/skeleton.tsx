import './skeleton.css'

/** Rows of the height that the data will have; they appear after 150 ms, so that a quick answer shows none. */
export function Skeleton({ rows = 4, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, i) => (
        <span class="skeleton-row" key={i} />
      ))}
    </div>
  )
}
