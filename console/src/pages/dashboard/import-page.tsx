import { useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { ErrorBox } from '../../kit/error-box.tsx'
import { Panel } from '../../kit/panel.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { TextArea } from '../../kit/text-field.tsx'
import { navigate } from '../../lib/address.ts'
import { counted } from '../../lib/words.ts'

type Imported = Result<'dashboards.import'>
type Format = 'grafana' | 'granary'

/** A dashboard from a file or a text. What is not carried over is shown before anything is stored. */
export function ImportPage() {
  const sources = useResource('sources.list', {}, { pace: 'still' })
  const [text, setText] = useState('')
  const [format, setFormat] = useState<Format>('grafana')
  const [dataSource, setDataSource] = useState('events')
  const [wrong, setWrong] = useState<string | undefined>()
  const [error, setError] = useState<ApiError | null>(null)
  const [tried, setTried] = useState<Imported | null>(null)
  const take = (next: string) => {
    setText(next)
    setTried(null)
    setWrong(undefined)
    const dashboard = objectOf(next)
    if (dashboard) setFormat('tiles' in dashboard && !('panels' in dashboard) ? 'granary' : 'grafana')
  }
  const send = async (dryRun: boolean) => {
    const dashboard = objectOf(text)
    setError(null)
    if (!dashboard) {
      setWrong(text.trim() === '' ? 'Paste a dashboard, or choose its file.' : 'This is no JSON object.')
      return
    }
    try {
      const made = await call('dashboards.import', { body: { format, dashboard, dataSource, dryRun } })
      setTried(made)
      if (dryRun || made.dashboard.id === undefined) return
      refresh('dashboards.list')
      await navigate(`/dashboards/${made.dashboard.id}`)
    } catch (thrown) {
      setTried(null)
      setError(toApiError(thrown))
    }
  }
  return (
    <Page
      title="Import a dashboard"
      crumbs={[{ name: 'Dashboards', href: '/dashboards' }]}
      crumb="Import"
      lead="Classic JSON of Grafana, or what Export gives here."
    >
      {!may('dashboards:manage') ? (
        <ReadsOnly lacks="dashboards:manage" cannot="make dashboards" />
      ) : (
        <>
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault()
              void send(true)
            }}
          >
            <div class="field">
              <label class="field-label" for="import-file">
                File
              </label>
              <input
                id="import-file"
                type="file"
                accept=".json,application/json"
                onChange={(event) => void event.currentTarget.files?.[0]?.text().then(take)}
              />
            </div>
            <TextArea label="Dashboard" rows={10} isMono value={text} onChange={take} error={wrong} />
            <div class="pair">
              <SelectField
                label="Format"
                value={format}
                onChange={setFormat}
                options={[
                  { value: 'grafana', name: 'Grafana' },
                  { value: 'granary', name: 'Granary' },
                ]}
              />
              <SelectField
                label="Source"
                hint="Of the series that are made of Grafana’s."
                value={dataSource}
                onChange={setDataSource}
                options={[
                  { value: 'events', name: 'events, the default' },
                  ...(sources.data.value ?? []).map(({ name }) => ({ value: name, name })),
                ]}
              />
            </div>
            <div class="actions">
              <Button submit tone={tried ? 'plain' : 'primary'}>
                Look at it first
              </Button>
              {tried && (
                <Button tone="primary" onPress={() => send(false)}>
                  Import {tried.dashboard.name}
                </Button>
              )}
            </div>
          </form>
          {error && <ErrorBox error={error} />}
          {tried && <Report tried={tried} />}
        </>
      )}
    </Page>
  )
}

function Report({ tried }: { tried: Imported }) {
  const { dashboard, report } = tried
  const lost =
    report.length === 0
      ? 'Everything is carried over.'
      : `${counted(report.length, 'thing')} are not carried over.`
  return (
    <Panel title={dashboard.name} note={`${counted(dashboard.tiles.length, 'tile')}. ${lost}`}>
      {report.length > 0 && (
        <DataTable
          label="Not carried over"
          rows={report.map((line, index) => ({ ...line, index }))}
          rowKey={({ index }) => String(index)}
          columns={[
            { id: 'path', label: 'Where', card: 'head', cell: ({ path }) => <code>{path}</code> },
            { id: 'what', label: 'What', cell: ({ what }) => what },
            { id: 'message', label: 'Why', card: 'wide', cell: ({ message }) => message },
          ]}
        />
      )}
    </Panel>
  )
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
