import { useState } from 'preact/hooks'
import { Button } from '../../../kit/button.tsx'
import { confirm } from '../../../kit/confirm.tsx'
import { type Column, DataTable } from '../../../kit/data-table.tsx'
import { Menu } from '../../../kit/menu.tsx'
import { Panel } from '../../../kit/panel.tsx'
import { counted, listed } from '../../../lib/words.ts'
import type { Dashboard, Variable } from '../dashboard-types.ts'
import { VariableDialog } from './variable-dialog.tsx'
import { tilesWith, withoutVariable, withVariable } from './variable-fields.ts'

/** What readers of the dashboard can choose. Each change is one step of the draft. */
export function VariablesPanel(props: { draft: Dashboard; onChange: (next: Dashboard) => void }) {
  const { draft, onChange } = props
  const { variables = [] } = draft
  /** Undefined = no dialog; null = a new one. */
  const [edited, setEdited] = useState<Variable | null | undefined>(undefined)
  const remove = async ({ name }: Variable) => {
    const tiles = tilesWith(draft, name)
    const text = `${listed(tiles)} ${tiles.length === 1 ? 'asks' : 'ask'} with $${name}, and cannot be read without it.`
    const ask = { title: `Remove variable ${name}?`, text, verb: 'Remove variable', isDangerous: true }
    if (tiles.length === 0 || (await confirm(ask))) onChange(withoutVariable(draft, name))
  }
  const columns: Column<Variable>[] = [
    {
      ...{ id: 'name', label: 'Name', card: 'head' as const },
      cell: (one) => (
        <Button tone="quiet" size="small" onPress={() => setEdited(one)}>
          <code>${one.name}</code>
        </Button>
      ),
    },
    { id: 'label', label: 'Label', cell: ({ label = '–' }) => label },
    { id: 'values', label: 'Values', card: 'wide', cell: valuesText },
    { id: 'first', label: 'Chosen at first', cell: firstText },
    {
      ...{ id: 'menu', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
      cell: (one) => (
        <Menu
          label={`Actions of variable ${one.name}`}
          mark="row-menu"
          entries={[
            { name: 'Edit', icon: 'edit', onPress: () => setEdited(one) },
            { name: 'Remove', icon: 'x', isDangerous: true, onPress: () => remove(one) },
          ]}
        />
      ),
    },
  ]
  return (
    <Panel
      title="Variables"
      note={variables.length === 0 && 'what readers can choose, in filters and SQL as $name'}
      tools={
        <Button size="small" icon="plus" onPress={() => setEdited(null)}>
          Variable
        </Button>
      }
    >
      {variables.length > 0 && (
        <DataTable label="Variables" rows={variables} rowKey={({ name }) => name} columns={columns} />
      )}
      {edited !== undefined && (
        <VariableDialog
          variable={edited}
          taken={variables.flatMap(({ name }) => (name === edited?.name ? [] : [name]))}
          onTake={(variable) => {
            onChange(withVariable(draft, edited?.name ?? null, variable))
            setEdited(undefined)
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Panel>
  )
}

function valuesText({ kind, values = [], dataSource = 'events', multi }: Variable): string {
  const what =
    kind === 'text'
      ? 'typed in'
      : kind === 'query'
        ? `a query of ${dataSource}`
        : counted(values.length, 'value')
  return multi ? `${what}, several at once` : what
}

const firstText = ({ default: first }: Variable): string =>
  first === undefined ? 'every value' : Array.isArray(first) ? first.join(', ') : first
