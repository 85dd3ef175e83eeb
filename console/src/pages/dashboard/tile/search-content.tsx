import { Button } from '../../../kit/button.tsx'
import { Icon } from '../../../kit/icon.tsx'
import type { Hue } from '../../../kit/states.ts'
import { formatClock, formatTime } from '../../../lib/times.ts'
import type { Answer, Row } from '../dashboard-types.ts'
import type { ContentProps } from './content-props.ts'
import { textOf } from './table-content.tsx'

/** The newest rows; more of them by the cursor of the page before. */
export function SearchContent(
  props: ContentProps & { pages: readonly Answer[]; onMore: (() => Promise<unknown>) | null },
) {
  const { tile, answer, pages, onMore, timeZone } = props
  const columns = answer.meta.columns ?? Object.keys(answer.rows[0] ?? {}).map((name) => ({ name, type: '' }))
  const rows = [answer, ...pages].flatMap((page) => page.rows)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="tile-scroll" tabIndex={0} aria-label={`Rows of ${tile.name || 'the tile'}`}>
      <table class="tile-table tile-rows">
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map(({ name, type }) => (
                <td key={name} class="mono">
                  <Value row={row} name={name} type={type} now={answer.at} timeZone={timeZone} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {onMore && (
        <Button size="small" tone="quiet" icon="down" onPress={onMore}>
          Older rows
        </Button>
      )}
    </section>
  )
}

function Value(props: { row: Row; name: string; type: string; now: number; timeZone: string | undefined }) {
  const { row, name, type, now, timeZone } = props
  const value = row[name]
  if (value === null || value === undefined) return <span class="muted">–</span>
  if (type.includes('DateTime') && typeof value === 'string') {
    const at = Date.parse(value)
    const zone = timeZone === undefined ? {} : { timeZone }
    const isRecent = now - at < 20 * 3_600_000
    const fraction = /\.(\d{1,3})/.exec(value)?.[1]
    return (
      <time dateTime={value} title={value}>
        {isRecent
          ? `${formatClock(at, { seconds: true, ...zone })}${fraction ? `.${fraction}` : ''}`
          : formatTime(at, now, zone)}
      </time>
    )
  }
  const text = textOf(value)
  const hue = /level|severity/i.test(name) ? levelHue(text) : null
  if (hue === null) return <>{text}</>
  return (
    <span class="tile-level" data-hue={hue}>
      <Icon name={hue === 'bad' ? 'failed' : 'warn'} size="small" />
      {text}
    </span>
  )
}

/** Only what needs a look has a hue. */
function levelHue(level: string): Hue | null {
  if (/^(error|err|fatal|critical|crit|alert|emerg)/i.test(level)) return 'bad'
  return /^warn/i.test(level) ? 'warn' : null
}
