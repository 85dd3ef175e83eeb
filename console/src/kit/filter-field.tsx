import type { QueryValue } from '../lib/url-state.ts'
import './field.css'
import './filter-field.css'

/** The filter of a list, kept in the address. `/` reaches the first one of the page. */
export function FilterField({ label, query }: { label: string; query: QueryValue }) {
  return (
    <input
      class="input input-small filter-field"
      type="search"
      aria-label={label}
      placeholder="Filter"
      data-mark="filter"
      value={query.value}
      onInput={(event) => query.set(event.currentTarget.value)}
    />
  )
}
