import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../../api/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorBox } from '../../kit/error-box.tsx'
import { toastError } from '../../kit/toast.tsx'
import { useQuery } from '../../lib/url-state.ts'
import { ResultGrid } from './result-grid.tsx'
import { shownAs } from './run-bar.tsx'
import { isInternal, type Schema, tableName } from './schema.ts'
import type { StatementRun } from './statement-run.ts'

/** Below the editor: the fault, the rows, or how to begin. */
export function ResultPane(props: {
  run: StatementRun
  schema: Schema | null
  isBlank: boolean
  onFix: (offset: number, word: string) => void
  onExample: (text: string) => void
}) {
  const { run, schema, isBlank, onFix, onExample } = props
  const state = run.state.value
  const show = shownAs(useQuery('show', 'table').value)
  return (
    <div class="sql-result">
      {state.kind === 'failed' && (
        <Fault error={state.error} from={run.statement()?.from ?? 0} onFix={onFix} />
      )}
      {state.kind === 'none' && isBlank ? (
        <div class="sql-examples">
          <p class="muted">Begin with one of these, or write your own.</p>
          {examplesOf(schema).map((text) => (
            <Button key={text} tone="quiet" class="mono" onPress={() => onExample(text)}>
              {text}
            </Button>
          ))}
        </div>
      ) : (
        <div class={show === 'both' ? 'sql-shown sql-shown-both' : 'sql-shown'}>
          {show !== 'plot' && <ResultGrid run={run} />}
          {show !== 'table' && <LazyPlot run={run} />}
        </div>
      )}
    </div>
  )
}

/** Charts are a chunk of their own: it is fetched when the first plot is wanted. */
function LazyPlot({ run }: { run: StatementRun }) {
  const [Plot, setPlot] = useState<FunctionComponent<{ run: StatementRun }> | null>(null)
  useEffect(() => {
    void import('./result-plot.tsx').then(
      ({ ResultPlot }) => setPlot(() => ResultPlot),
      (thrown) => toastError('The plot could not be loaded.', thrown),
    )
  }, [])
  return Plot && <Plot run={run} />
}

interface Place {
  line: number
  column: number
}

function Fault({
  error,
  from,
  onFix,
}: {
  error: ApiError
  from: number
  onFix: (offset: number, word: string) => void
}) {
  const issue = error.issues[0]
  const place = error.extra['position'] as Place | null | undefined
  const offset = issue?.position
  return (
    <div class="sql-fault">
      <ErrorBox error={error} />
      {(place || offset !== undefined) && (
        <p class="sql-fault-place">
          {place && (
            <span class="muted">
              Line {place.line}, column {place.column} of the statement.
            </span>
          )}
          {offset !== undefined &&
            issue?.suggestions?.slice(0, 5).map((word) => (
              <Button key={word} size="small" onPress={() => onFix(from + offset, word)}>
                Use {word}
              </Button>
            ))}
        </p>
      )}
    </div>
  )
}

/** Three statements that fit the schema. */
function examplesOf(schema: Schema | null): string[] {
  const database = schema?.databases.find(({ name, tables }) => !isInternal(name) && tables.length > 0)
  const table = database?.tables[0]
  if (!database || !table)
    return [
      'SELECT version()',
      'SHOW DATABASES',
      'SELECT number, number * number AS square FROM numbers(100)',
    ]
  const name = tableName(database.name, table.name)
  return [`SELECT * FROM ${name} LIMIT 100`, `SELECT count() FROM ${name}`, `DESCRIBE TABLE ${name}`]
}
