import { useEffect, useRef, useState } from 'preact/hooks'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { useShortcuts } from '../../frame/shortcuts.ts'
import { announce } from '../../kit/announce.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { copyText } from '../../kit/copy.tsx'
import { toast, toastError } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { changesSchema, destructionOf, type Statement, statementAt } from '../../lib/sql-statements.ts'
import { addDraft, changeDraft, draft, drafts, openNamed, openText } from './drafts.ts'
import type { Editor } from './editor.ts'
import { formatStatement } from './format-statement.ts'
import { remember } from './history.ts'
import { useNaming } from './named-queries.tsx'
import { linkOf, textOfLink } from './query-link.ts'
import { QueryTabs } from './query-tabs.tsx'
import { ResultPane } from './result-pane.tsx'
import { RunBar } from './run-bar.tsx'
import { doneWords } from './run-words.ts'
import { SchemaPane } from './schema-pane.tsx'
import { SqlEditor } from './sql-editor.tsx'
import { createStatementRun, type StatementRun } from './statement-run.ts'
import { useSchema } from './use-schema.ts'

export type Service = Result<'services.list'>[number]

const awakeStates: readonly string[] = ['running', 'degraded', 'partially_running']

/** Schema, tabs, editor and result of one service. Each tab has a run of its own; leaving the page ends them. */
export function Workbench(props: {
  service: Service
  services: readonly Service[]
  /** The named query that the address is of. */
  queryId: string | undefined
}) {
  const { service, services, queryId } = props
  const editor = useRef<Editor | null>(null)
  const runs = useRef(new Map<string, StatementRun>())
  const agreed = useRef(new Set<string>())
  const [, setReady] = useState(false)
  const { schema, error, reload } = useSchema(service.id, awakeStates.includes(service.state))
  const shown = draft.value
  const run = runOf(runs.current, shown.id)
  useEffect(
    () => () => {
      for (const one of runs.current.values()) one.leave()
    },
    [],
  )
  useEffect(() => editor.current?.setSchema(schema))
  const naming = useNaming(service.id)
  useAddressed(queryId)

  /** How the engine would run it; a fault is marked in the statement itself. */
  function explain(): void {
    const asked = askedStatement(editor.current)
    if (asked) void start({ text: `${explained}${asked.text}`, from: asked.from - explained.length })
  }

  async function format(): Promise<void> {
    const asked = askedStatement(editor.current)
    if (!asked) return
    try {
      const text = await formatStatement(service.id, asked.text)
      if (text === null) toast('bad', 'It is as it was.', 'The engine would drop its comments.')
      else editor.current?.replace(asked.from, asked.from + asked.text.length, text)
    } catch (thrown) {
      toastError('It was not formatted.', thrown)
    }
  }

  async function copyLink(): Promise<void> {
    const link = linkOf(shown.text)
    if (link === null) return
    await copyText(`${location.origin}/sql/${service.id}${location.search}${link}`)
  }

  async function start(asked = askedStatement(editor.current)): Promise<void> {
    if (!asked || run.isRunning()) return
    const destruction = agreed.current.has(shown.id) ? null : destructionOf(asked.text)
    if (destruction !== null) {
      const title = `Run this on ${service.name}?`
      const text = `${destruction}. What it removes is gone; only a backup has it then.`
      if (!(await confirm({ title, text, verb: 'Run it', keep: 'Do not run', isDangerous: true }))) return
      agreed.current.add(shown.id)
    }
    editor.current?.markFault(null)
    await run.start(service.id, asked)
    const outcome = outcomeOf(run)
    announce(outcome.words)
    remember({
      serviceId: service.id,
      text: asked.text,
      ...{ outcome: outcome.words, isFailed: outcome.isFailed },
      at: Date.now(),
    })
    if (outcome.offset !== null && draft.peek().id === shown.id)
      editor.current?.markFault(asked.from + outcome.offset)
    if (service.state === 'idle') refresh('services.list')
    if (changesSchema(asked.text) && !outcome.isFailed) reload()
  }
  const cancel = () => void run.cancel()
  useShortcuts('SQL', [
    { keys: 'Mod+Enter', name: 'Run', run: () => void start() },
    { keys: 'Mod+.', name: 'Cancel', run: cancel },
    { keys: 'Alt+Enter', name: 'Explain', run: explain },
    { keys: 'Mod+F', name: 'Format', run: () => void format() },
    ...(naming.mayName ? [{ keys: 'Mod+s', name: 'Name or save', run: () => void naming.name(shown) }] : []),
  ])
  return (
    <div class="sql">
      <SchemaPane
        {...{ service, services, schema, error, reload }}
        onInsert={(name) => editor.current?.insert(name)}
        onOpen={(text) => addDraft(text)}
      />
      <div class="sql-work">
        <QueryTabs
          drafts={drafts.value}
          shown={shown}
          onName={naming.mayName ? () => naming.name(shown) : undefined}
          onCopyLink={copyLink}
        />
        <SqlEditor
          draftId={shown.id}
          text={shown.text}
          editor={editor}
          onReady={() => setReady(true)}
          events={{
            onChange: (text) => changeDraft(shown.id, { text }),
            onRun: () => void start(),
            onCancel: cancel,
            onExplain: explain,
            onFormat: () => void format(),
            onName: () => void naming.name(draft.peek()),
          }}
        />
        <RunBar
          {...{ service, run }}
          name={shown.name}
          onRun={() => start()}
          onExplain={explain}
          onFormat={format}
          onCancel={cancel}
        />
        <ResultPane
          {...{ run, schema }}
          isBlank={shown.text.trim() === ''}
          onFix={(offset, word) => editor.current?.replaceWord(offset, word)}
          onExample={(text) => {
            changeDraft(shown.id, { text })
            editor.current?.open(text)
            editor.current?.focus()
          }}
        />
      </div>
      {naming.dialog}
    </div>
  )
}

const explained = 'EXPLAIN indexes = 1 '

/** Opens the named query of the address, and the text of a copied link, once each. */
function useAddressed(queryId: string | undefined): void {
  const queries = useResource('queries.list', {}, { when: queryId !== undefined && may('services:view') })
  const query = queries.data.value?.find(({ id }) => id === queryId)
  useEffect(() => {
    if (query) openNamed(query)
  }, [query?.id])
  useEffect(() => {
    const text = textOfLink(location.hash)
    if (text === null) return
    openText(text)
    void navigate(`${location.pathname}${location.search}`, { replace: true })
  }, [])
}

function runOf(runs: Map<string, StatementRun>, draftId: string): StatementRun {
  const run = runs.get(draftId) ?? createStatementRun()
  runs.set(draftId, run)
  return run
}

/** What is selected, or else the statement at the caret. */
function askedStatement(editor: Editor | null): Statement | null {
  const { text } = draft.peek()
  if (!editor) return statementAt(text, text.length)
  const { from, text: selected, caret } = editor.selection()
  const bare = selected.trim().replace(/;$/, '')
  if (bare === '') return statementAt(text, caret)
  return { text: bare, from: from + selected.length - selected.trimStart().length }
}

/** How a run ended, in words, and where in the statement the fault is. */
function outcomeOf(run: StatementRun): { words: string; isFailed: boolean; offset: number | null } {
  const state = run.state.value
  if (state.kind === 'done') return { words: doneWords(state.done), isFailed: false, offset: null }
  if (state.kind !== 'failed') return { words: 'Cancelled', isFailed: true, offset: null }
  const offset = state.error.issues.find((issue) => issue.position !== undefined)?.position ?? null
  return { words: state.error.message.slice(0, 200), isFailed: true, offset }
}
