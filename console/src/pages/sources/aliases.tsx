import { Button } from '../../kit/button.tsx'
import { FieldNote, type FieldState, inputClass } from '../../kit/field.tsx'

type Alias = [name: string, column: string]

/** Further names of fields, each with the column or path that it means. */
export function Aliases(props: FieldState<Alias[]> & { columns: readonly string[] | undefined }) {
  const { value, onChange, error, isChanged, columns = [] } = props
  const change = (at: number, alias: Alias) => onChange(value.map((one, i) => (i === at ? alias : one)))
  return (
    <fieldset class="aliases">
      <legend>Aliases</legend>
      {value.map(([name, column], at) => (
        <div class="alias" key={at}>
          <input
            class={inputClass(isChanged, 'input-mono')}
            aria-label={`Alias ${at + 1}`}
            value={name}
            onInput={(event) => change(at, [event.currentTarget.value, column])}
          />
          <span class="muted">means</span>
          <input
            class={inputClass(isChanged, 'input-mono')}
            aria-label={`Column of alias ${at + 1}`}
            list="alias-columns"
            value={column}
            onInput={(event) => change(at, [name, event.currentTarget.value])}
          />
          <Button
            {...{ tone: 'quiet', size: 'small', icon: 'x', label: `Remove alias ${name || at + 1}` }}
            onPress={() => onChange(value.filter((_, i) => i !== at))}
          />
        </div>
      ))}
      <datalist id="alias-columns">
        {columns.map((column) => (
          <option key={column} value={column} />
        ))}
      </datalist>
      <FieldNote
        id="aliases-note"
        error={error}
        hint="level, service, duration, host and message are found by themselves where columns fit."
      />
      <span>
        <Button size="small" icon="plus" onPress={() => onChange([...value, ['', '']])}>
          Add an alias
        </Button>
      </span>
    </fieldset>
  )
}
