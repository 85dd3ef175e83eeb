import { useEffect, useRef } from 'preact/hooks'
import type { Result } from '../../api/operations.ts'
import { Icon } from '../../kit/icon.tsx'
import { Panel } from '../../kit/panel.tsx'
import { navigate } from '../../lib/address.ts'
import { type BackupChain, heightsOf } from '../../lib/backup-chains.ts'
import { now } from '../../lib/now.ts'
import { formatBytes } from '../../lib/numbers.ts'
import { timeStyle } from '../../lib/time-style.ts'
import { formatAgo, formatClock, formatTime } from '../../lib/times.ts'
import './chain-timeline.css'

type Backup = Result<'backups.list'>[number]

const plotHeight = 84
const base = 103

/** A column per backup, a line beneath each chain; arrows move, Enter opens. The newest are in view. */
export function ChainTimeline(props: {
  chains: readonly BackupChain<Backup>[]
  nextDueAt: string
  /** The backups that are being restored. */
  restoring: readonly string[]
}) {
  const { chains, nextDueAt, restoring } = props
  const scroller = useRef<HTMLDivElement>(null)
  const all = chains.flatMap(({ backups }) => backups)
  const sizes = all.map(({ sizeInBytes, progress }) => sizeInBytes || progress.totalBytes)
  const heights = heightsOf(sizes)
  const heightOf = (backup: Backup) => heights[all.indexOf(backup)] ?? 0
  const nameOf = (backup: Backup) => {
    const at = Date.parse(backup.startedAt)
    const before = all[all.indexOf(backup) - 1]
    const isSameDay = before !== undefined && dayOf(Date.parse(before.startedAt)) === dayOf(at)
    return isSameDay ? formatClock(at, timeStyle.value) : dayOf(at)
  }
  // The newest column has the tab stop, and is in view when a backup is added.
  useEffect(() => {
    const element = scroller.current
    if (element) element.scrollLeft = element.scrollWidth
  }, [all.length])
  return (
    <Panel
      title="Chains"
      note="a backup needs those before it in its chain; a chain is removed as a whole"
      foot={<TimelineKey />}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset does not scroll */}
      <div class="chain-scroll" ref={scroller} role="group" aria-label="Backups by day" onKeyDown={moveFocus}>
        <ol class="chains">
          {chains.map((chain, i) => (
            <li class="chain" key={chain.id}>
              <ol>
                {chain.backups.map((backup) => (
                  <li key={backup.id}>
                    <Column
                      backup={backup}
                      name={nameOf(backup)}
                      height={heightOf(backup)}
                      isRestoring={restoring.includes(backup.id)}
                      isStop={backup === all.at(-1)}
                    />
                  </li>
                ))}
                {i === chains.length - 1 && nextDueAt !== '' && (
                  <li>
                    <Due at={nextDueAt} />
                  </li>
                )}
              </ol>
              <p class="chain-brace">
                <b>{chain.backups.length === 1 ? 'One full backup' : `Chain of ${chain.backups.length}`}</b>,{' '}
                {formatBytes(chain.bytes)} <span class="muted">{endOf(chain, i === chains.length - 1)}</span>
              </p>
            </li>
          ))}
        </ol>
      </div>
    </Panel>
  )
}

function Column(props: {
  backup: Backup
  /** The day; the time where it is that of the column before. */
  name: string
  height: number
  isRestoring: boolean
  isStop: boolean
}) {
  const { backup, name, height, isRestoring, isStop } = props
  const { id, serviceId, startedAt, type, sizeInBytes } = backup
  const at = Date.parse(startedAt)
  const tall = Math.round(plotHeight * height)
  const top = base - tall
  const fate = fateOf(backup)
  const words = [formatTime(at, now.peek(), timeStyle.value), type, fate, formatBytes(sizeInBytes)]
  const label = [...words, isRestoring && 'being restored'].filter(Boolean).join(', ')
  const classes = ['chain-backup', `chain-${type}`, isRestoring && 'chain-restoring']
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(' ')}
      data-fate={fate}
      aria-label={label}
      data-tip={label}
      tabIndex={isStop ? 0 : -1}
      onClick={() => void navigate(`/services/${serviceId}/backups/${id}`, { stays: true })}
    >
      <svg viewBox="0 0 28 104" aria-hidden="true">
        <rect class="chain-column" x="1" y={top} width="26" height={tall} rx="3" />
        {fate === 'good' && <path class="chain-good" d={`M9.5 ${top - 8}l3 3 6-7`} />}
        {fate === 'damaged' && (
          <path class="chain-damaged" d={`M9 ${top - 12}l10 10M19 ${top - 12}l-10 10`} />
        )}
      </svg>
      <span>{name}</span>
    </button>
  )
}

function Due({ at }: { at: string }) {
  const ms = Date.parse(at)
  return (
    <span class="chain-backup chain-due" title={`due ${formatAgo(ms, now.value, timeStyle.value)}`}>
      <svg viewBox="0 0 28 104" aria-hidden="true">
        <rect class="chain-column" x="1" y={base - 20} width="26" height="20" rx="3" />
      </svg>
      <span>
        {dayOf(ms)}
        <span class="sr">, due {formatAgo(ms, now.value, timeStyle.value)}</span>
      </span>
    </span>
  )
}

function TimelineKey() {
  return (
    <span class="chain-key">
      <span>
        <i class="chain-swatch chain-swatch-full" />
        full
      </span>
      <span>
        <i class="chain-swatch chain-swatch-incremental" />
        incremental
      </span>
      <span>
        <i class="chain-swatch chain-swatch-due" />
        due
      </span>
      <span data-hue="ok">
        <Icon name="check" size="small" /> read back, every file as written
      </span>
      <span data-hue="bad">
        <Icon name="x" size="small" /> damaged
      </span>
    </span>
  )
}

const fateOf = ({ status, verification }: Backup): string =>
  status === 'in_progress'
    ? 'in progress'
    : verification.status === 'none'
      ? 'not read back'
      : verification.status === 'in_progress'
        ? 'being read back'
        : verification.status

function endOf(chain: BackupChain<Backup>, isNewest: boolean): string {
  if (isNewest) return 'newest'
  if (chain.goesAtMs === null) return 'kept until two newer ones are good'
  return chain.goesAtMs < now.value
    ? 'goes soon'
    : `goes ${formatTime(chain.goesAtMs, now.peek(), timeStyle.value)}`
}

/** `17`, in the zone of the page. */
const dayOf = (at: number): string => formatTime(at, at, timeStyle.value).split(' ')[1] ?? ''

function moveFocus(event: KeyboardEvent): void {
  const columns = [...(event.currentTarget as Element).querySelectorAll<HTMLButtonElement>('button')]
  const at = columns.indexOf(event.target as HTMLButtonElement)
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: columns.length - 1 }[event.key]
  if (at === -1 || to === undefined) return
  event.preventDefault()
  columns[Math.min(columns.length - 1, Math.max(0, to))]?.focus()
}
