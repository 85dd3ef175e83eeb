import { may } from '../../api/session.ts'
import { shownKeys } from '../../frame/shortcuts.ts'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { serviceLooks } from '../../kit/states.ts'
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
  onCancel: () => void
}) {
  const { service, run, name, onRun, onCancel } = props
  const state = run.state.value
  const query = run.statement()?.text
  const hasResult = state.kind === 'done' && run.columns.value.length > 0
  const reason = resting.includes(service.state)
    ? `${service.name} is ${serviceLooks[service.state].word.toLowerCase()}.`
    : null
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
        <p class="sql-ran">
          <RunLine state={state} name={service.name} />
        </p>
        {!may('services:manage', service.id) && (
          <span class="muted sql-lock">
            <Icon name="lock" size="small" /> This key reads only.
          </span>
        )}
        {hasResult && query !== undefined && (
          <DownloadMenu serviceId={service.id} query={query} name={name} />
        )}
      </div>
      <RunProgress state={state} />
    </>
  )
}

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
