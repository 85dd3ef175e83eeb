import { may } from '../../api/session.ts'
import { shownKeys } from '../../frame/shortcuts.ts'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Segment } from '../../kit/segment.tsx'
import { serviceLooks } from '../../kit/states.ts'
import { useQuery } from '../../lib/url-state.ts'
import { DownloadMenu } from './download-menu.tsx'
import { doneWords, progressWords, readWords, shareOf } from './run-words.ts'
import type { RunState, StatementRun } from './statement-run.ts'
import type { Service } from './workbench.tsx'

const resting: readonly string[] = ['stopped', 'stopping', 'failed', 'terminating', 'provisioning']

/** Run or Cancel, how far it is or how it ended, and the download of the whole result. */
export function RunBar(props: {
  service: Service
  run: StatementRun
  /** Of the query: names the file. */
  name: string
  onRun: () => unknown
  onExplain: () => unknown
  /** While its promise is open the button is busy. */
  onFormat: () => unknown
  onCancel: () => void
}) {
  const { service, run, name, onRun, onExplain, onFormat, onCancel } = props
  const show = useQuery('show', 'table')
  const state = run.state.value
  const query = run.statement()?.text
  const hasResult = state.kind === 'done' && run.columns.value.length > 0
  const reason = resting.includes(service.state)
    ? `${service.name} is ${serviceLooks[service.state].word.toLowerCase()}.`
    : null
  const busy = run.isRunning() ? 'A statement runs.' : null
  return (
    <>
      <div class="sql-run-bar">
        {run.isRunning() ? (
          <Button icon="stopped" onPress={onCancel}>
            Cancel <kbd>{shownKeys('Mod+.')}</kbd>
          </Button>
        ) : (
          <Button tone="primary" icon="play" reason={reason} onPress={() => void onRun()}>
            {service.state === 'idle' ? 'Wake and run' : 'Run'} <kbd>{shownKeys('Mod+↵')}</kbd>
          </Button>
        )}
        <Button tone="quiet" reason={reason ?? busy} onPress={() => void onExplain()}>
          Explain
        </Button>
        <Button tone="quiet" reason={formatReason(service)} onPress={onFormat}>
          Format
        </Button>
        <p class="sql-ran">
          <RunLine state={state} name={service.name} />
        </p>
        {!may('services:manage', service.id) && (
          <span class="muted sql-lock">
            <Icon name="lock" size="small" />
            <span>This key only reads.</span>
          </span>
        )}
        <Segment
          label="Show the result as"
          options={shows}
          value={shownAs(show.value)}
          onChange={(next) => show.set(next)}
        />
        {hasResult && query !== undefined && (
          <DownloadMenu serviceId={service.id} query={query} name={name} />
        )}
      </div>
      <RunProgress state={state} />
    </>
  )
}

export type ShownAs = 'table' | 'plot' | 'both'

const shows = [
  { value: 'table', name: 'Table', icon: 'table' },
  { value: 'plot', name: 'Plot', icon: 'line' },
  { value: 'both', name: 'Both' },
] as const

export const shownAs = (value: string): ShownAs => (value === 'plot' || value === 'both' ? value : 'table')

/** The engine formats, so it must be awake; nothing is woken for it. */
const formatReason = ({ name, state }: Service): string | null =>
  ['running', 'degraded', 'partially_running'].includes(state)
    ? null
    : `${name} is ${serviceLooks[state].word.toLowerCase()}: its engine formats.`

function RunLine({ state, name }: { state: RunState; name: string }) {
  if (state.kind === 'waking') return <>Waking {name}…</>
  if (state.kind === 'running') return <>{progressWords(state.progress)}</>
  if (state.kind === 'cancelled') return <>Cancelled.</>
  if (state.kind !== 'done') return null
  const read = readWords(state.done)
  return (
    <>
      <b>{doneWords(state.done)}</b> {read !== '' && <span class="muted">· {read}</span>}
      {state.done.isTruncated && <span class="muted"> · there are more; Download takes all</span>}
    </>
  )
}

function RunProgress({ state }: { state: RunState }) {
  if (state.kind !== 'running' && state.kind !== 'waking') return <div class="sql-progress" />
  const share = state.kind === 'running' && state.progress ? shareOf(state.progress) : null
  return (
    <progress
      class="sql-progress"
      aria-label="Progress of the query"
      max={1}
      {...(share === null ? {} : { value: share })}
    />
  )
}
