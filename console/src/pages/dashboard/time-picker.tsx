import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { Popover } from '../../kit/popover.tsx'
import { TextField } from '../../kit/text-field.tsx'
import type { RangeText } from '../../lib/range-ends.ts'
import { parseRange, rangeName, rangePresets } from '../../lib/range-words.ts'
import { stored } from '../../lib/stored.ts'
import './time-picker.css'
import type { View } from './use-view.ts'

/** The last ranges that were typed, as texts. */
const recent = stored<string>('recent-ranges', '[]')

/** The range: typed first, then presets; earlier, later and zoom out beside it. */
export function TimePicker({ view }: { view: View }) {
  const { text, timeZone, answeredFor } = view
  const zone = timeZone === undefined ? {} : { timeZone }
  const name = rangeName(text, answeredFor, zone)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex line everywhere
    <span class="time-picker" role="group" aria-label="Time range">
      <Button icon="left" label="Earlier" onPress={() => view.move('earlier')} />
      <Popover icon="clock" label={`Time range: ${name}`} text={name} class="time-picker-name">
        {(close) => <Choice view={view} close={close} />}
      </Popover>
      <Button
        icon="right"
        label="Later"
        reason={text.to === 'now' ? 'This range reaches until now.' : null}
        onPress={() => view.move('later')}
      />
      <Button icon="zoomout" label="Zoom out" onPress={() => view.move('out')} />
    </span>
  )
}

function Choice({ view, close }: { view: View; close: () => void }) {
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | undefined>()
  const { text, timeZone } = view
  const choose = (range: RangeText) => {
    view.setRange(range)
    close()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const range = parseRange(typed, Date.now(), timeZone)
    if (range === null) {
      setError(typed.trim() === '' ? 'Type a range.' : `“${typed}” is no range that ends after it begins.`)
      return
    }
    recent.value = JSON.stringify(
      [typed.trim(), ...recents().filter((one) => one !== typed.trim())].slice(0, 4),
    )
    choose(range)
  }
  return (
    <div class="time-choice">
      <form onSubmit={submit} noValidate>
        <TextField
          label="Range"
          value={typed}
          onChange={(value) => {
            setTyped(value)
            setError(undefined)
          }}
          error={error}
          placeholder={`${text.from} to ${text.to}`}
          hint="6h · yesterday · now-1d/d · 14 nov 8:00 to 12:00"
          isMono
        />
        <Button submit tone="primary">
          Show
        </Button>
      </form>
      {recents().length > 0 && (
        <ul class="time-choice-recent" aria-label="Recent ranges">
          {recents().map((one) => (
            <li key={one}>
              <Button
                size="small"
                onPress={() => {
                  const range = parseRange(one, Date.now(), timeZone)
                  if (range) choose(range)
                }}
              >
                {one}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ul class="time-choice-presets" aria-label="Common ranges">
        {rangePresets.map(({ name, range }) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={range.from === text.from && range.to === text.to}
              onClick={() => choose(range)}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
      <p class="time-choice-foot">
        <span>{timeZone === 'UTC' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
        <Button size="small" tone="quiet" icon="copy" onPress={() => copyText(`${text.from} to ${text.to}`)}>
          Copy range
        </Button>
      </p>
    </div>
  )
}

function recents(): string[] {
  try {
    const kept: unknown = JSON.parse(recent.value)
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}
