import { useState } from 'preact/hooks'
import { toApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { useTyped } from '../../kit/typed.ts'
import { setQuery } from '../../lib/url-state.ts'
import { raised } from '../../lib/words.ts'
import type { Dashboard } from './dashboard-types.ts'

/** A filter of every tile. It is judged by the first tile's source before any tile asks with it. */
export function FilterBox({ dashboard, where }: { dashboard: Dashboard; where: string }) {
  const [typed, setTyped] = useTyped(where)
  const [wrong, setWrong] = useState<string | null>(null)
  const take = async (text: string) => {
    if (text === where && wrong === null) return
    const series = dashboard.tiles.flatMap((tile) => tile.series).find(({ type }) => type !== 'markdown')
    try {
      const { dataSource, sourceId } = series ?? { dataSource: 'events' }
      const body = { where: text, dataSource: sourceId ?? dataSource ?? 'events' }
      const judged = text.trim() === '' ? null : await call('charts.where', { body })
      const [error] = judged?.errors ?? []
      if (error) {
        const nearest = error.suggestions?.length ? ` Did you mean ${error.suggestions.join(', ')}?` : ''
        const at = error.position === undefined ? '' : ` (at ${error.position + 1})`
        setWrong(`${raised(error.message)}${at}.${nearest}`)
        return
      }
    } catch (thrown) {
      setWrong(toApiError(thrown).message)
      return
    }
    setWrong(null)
    setQuery({ where: text.trim() === '' ? null : text })
  }
  return (
    <span class="filter-box">
      <input
        class="input input-mono"
        type="search"
        aria-label="Filter every tile"
        placeholder="Filter every tile"
        data-mark="filter"
        value={typed}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong ? 'filter-box-wrong' : undefined}
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => void take(event.currentTarget.value)}
      />
      {wrong && (
        <span class="field-error" id="filter-box-wrong" role="alert">
          {wrong}
        </span>
      )}
    </span>
  )
}
