import { useEffect } from 'preact/hooks'
import type { ApiError } from '../../api/api-error.ts'
import { sortIssues } from '../../api/issues.ts'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Notice } from '../../kit/notice.tsx'
import { counted, raised } from '../../lib/words.ts'
import { FaultText } from '../pipe/fault-text.tsx'
import { filledRows } from './rows.ts'
import type { Preview } from './use-preview.ts'
import type { Schema, Wizard } from './wizard-state.ts'

type Row = NonNullable<Schema['rows']>[number]

interface ConvertedRowsProps {
  wizard: Wizard
  preview: Preview
  /** Reads by itself what is not read yet, where the source was tested. */
  isAutomatic?: boolean
  /** Takes what the server refuses. Default: it is said here. */
  onRefused?: (error: ApiError) => void
}

/** What records of the source become in the columns of the table, each beside the record itself. Nothing is written. */
export function ConvertedRows({ wizard, preview, isAutomatic = false, onRefused }: ConvertedRowsProps) {
  const { answer, error, isReading, isOutdated } = preview
  useEffect(() => {
    if (isAutomatic && isOutdated && wizard.schema.value !== null) void preview.read()
  }, [])
  const read = async () => {
    const refused = await preview.read()
    if (refused) onRefused?.(refused)
  }
  return (
    <fieldset class="wizard-group">
      <legend>Rows</legend>
      <p class="field-hint">What records of the source become in the table. Nothing is written.</p>
      {error && !onRefused && !isOutdated && (
        <Notice hue="warn" role="status" title="The rows cannot be shown.">
          {sortIssues(error, []).others.map(raised).join(' ')}
        </Notice>
      )}
      {answer?.rows && (
        <>
          <Tally rows={answer.rows} isOutdated={isOutdated && !isReading} />
          <Table wizard={wizard} schema={answer} rows={answer.rows} />
        </>
      )}
      <div class="actions">
        <Button icon={answer || error ? 'refresh' : 'eye'} isBusy={isReading} onPress={() => void read()}>
          {answer || error ? 'Read the rows again' : 'Preview the rows'}
        </Button>
        {isReading && <Button onPress={preview.cancel}>Cancel the preview</Button>}
      </div>
    </fieldset>
  )
}

function Tally({ rows, isOutdated }: { rows: readonly Row[]; isOutdated: boolean }) {
  if (isOutdated) return <Notice hue="rest" icon="clock" title="These rows are of earlier entries." />
  const rejected = rows.filter(({ reason }) => reason !== null).length
  const became = counted(rows.length - rejected, 'row')
  if (rejected === 0) return <Notice hue="ok" role="status" title={`The records become ${became}.`} />
  return (
    <Notice hue="warn" role="status" title={`${counted(rejected, 'record')} would be rejected.`}>
      {rows.length > rejected && `The others become ${became}. `}
      The pipe puts rejected records into its errors table and goes on.
    </Notice>
  )
}

function Table({ wizard, schema, rows }: { wizard: Wizard; schema: Schema; rows: readonly Row[] }) {
  const columns = filledRows(wizard.columns.value)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="wizard-sample" aria-label="Converted rows" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Record</th>
            {columns.map(({ key, name, type }) => (
              <th key={key} scope="col">
                {name} <span class="wizard-type">{type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            // The rows have no names.
            <tr key={i} class={row.reason === null ? undefined : 'wizard-rejected'}>
              <td class="wizard-record" title={row.raw ?? recordText(schema, i)}>
                <FaultText text={row.raw ?? recordText(schema, i)} field={row.field} />
              </td>
              {row.reason === null ? (
                row.values.map((value, k) => (
                  <td key={columns[k]?.key}>{value ?? <span class="muted">NULL</span>}</td>
                ))
              ) : (
                <td colSpan={Math.max(1, columns.length)} class="wizard-rejection">
                  <span title={row.reason}>
                    <Icon name="failed" size="small" />
                    {row.field !== null && <b>{row.field}: </b>}
                    {raised(row.reason)}
                  </span>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** `at: 2026-11-14, qty: 1`: a record that was read together with the others. */
const recordText = ({ fields, records }: Schema, at: number): string =>
  (records[at] ?? []).map((value, k) => `${fields[k]?.name}: ${value ?? 'NULL'}`).join(', ')
