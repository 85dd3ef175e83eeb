import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useModal } from '../kit/dialog.tsx'
import { Icon } from '../kit/icon.tsx'
import { type RankedItem, rankItems } from '../lib/palette-rank.ts'
import { stored } from '../lib/stored.ts'
import './palette.css'
import { type Command, useCommands } from './palette-items.ts'
import { closePalette, paletteText } from './palette-state.ts'

const recent = stored<string>('recent-commands', '')
const kept = 12

/** Goes anywhere and does what the state and the key allow; `>` actions only, `?` the keys. */
export function Palette() {
  return paletteText.value === null ? null : <OpenPalette first={paletteText.value} />
}

function OpenPalette({ first }: { first: string }) {
  const ref = useModal()
  const list = useRef<HTMLDivElement>(null)
  const typed = useSignal(first)
  const at = useSignal(0)
  const commands = useCommands()
  const shown = rankItems(commands, typed.value, recent.value.split(','))
  const current = Math.min(at.value, shown.length - 1)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [current])

  const choose = (command: Command | undefined) => {
    if (!command) return
    const ids = recent.value.split(',').filter((id) => id !== command.id && id !== '')
    recent.value = [command.id, ...ids].slice(0, kept).join(',')
    closePalette()
    // The palette gives the focus back first.
    setTimeout(() => command.run())
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const last = shown.length - 1
    const moves: Record<string, number> = {
      ...{ ArrowDown: current >= last ? 0 : current + 1, ArrowUp: current <= 0 ? last : current - 1 },
      ...{ PageDown: Math.min(last, current + 8), PageUp: Math.max(0, current - 8) },
    }
    const next = moves[event.key]
    if (next !== undefined) at.value = next
    else if (event.key === 'Enter') choose(shown[current]?.item)
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={ref}
      class="palette"
      aria-label="Command palette"
      onCancel={(event) => {
        event.preventDefault()
        closePalette()
      }}
      onPointerDown={(event) => event.target === ref.current && closePalette()}
    >
      <div class="palette-top">
        <Icon name="search" />
        <input
          class="palette-input"
          type="text"
          role="combobox"
          aria-label="Search or jump"
          aria-expanded={true}
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={current >= 0 ? `palette-${current}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="Search or jump; > for actions, ? for keys"
          data-mark="first"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
            at.value = 0
          }}
          onKeyDown={onKey}
        />
        <kbd>esc</kbd>
      </div>
      <div class="palette-list" id="palette-list" role="listbox" aria-label="Results" ref={list}>
        {shown.map((ranked, i) => (
          <PaletteLine
            key={ranked.item.id}
            ranked={ranked}
            index={i}
            isCurrent={i === current}
            onChoose={() => choose(ranked.item)}
          />
        ))}
      </div>
      {shown.length === 0 && (
        <p class="palette-none" role="status">
          Nothing is called “{typed.value}”.
        </p>
      )}
    </dialog>
  )
}

function PaletteLine(props: {
  ranked: RankedItem<Command>
  index: number
  isCurrent: boolean
  onChoose: () => void
}) {
  const { ranked, index, isCurrent, onChoose } = props
  const { item, at } = ranked
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses the current option
    // biome-ignore lint/a11y/useFocusableInteractive: the field of the combobox keeps the focus
    <div
      class="palette-item"
      id={`palette-${index}`}
      role="option"
      aria-selected={isCurrent}
      onClick={onChoose}
    >
      <Icon name={item.icon} />
      <span>{marked(item.name, at)}</span>
      <span class="palette-note">{item.note}</span>
    </div>
  )
}

/** The name with the letters that fit set stronger. */
function marked(name: string, at: readonly number[]) {
  if (at.length === 0) return name
  const hits = new Set(at)
  const parts = name.match(/./gsu) ?? []
  let position = 0
  return parts.map((letter) => {
    const isHit = hits.has(position)
    const key = position
    position += letter.length
    return isHit ? <b key={key}>{letter}</b> : letter
  })
}
