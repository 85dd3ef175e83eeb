import { useMemo } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { Popover } from '../../kit/popover.tsx'
import { useTyped } from '../../kit/typed.ts'
import { setQuery } from '../../lib/url-state.ts'
import { counted } from '../../lib/words.ts'
import type { Dashboard, Variable, VariableValues } from './dashboard-types.ts'
import { joinList } from './view-query.ts'

/** The variables of a dashboard; what is chosen is in the address. */
export function VariablesBar({ dashboard, values }: { dashboard: Dashboard; values: VariableValues }) {
  return (
    <>
      {(dashboard.variables ?? []).map((variable) => (
        <VariableField
          key={variable.name}
          dashboardId={dashboard.id}
          variable={variable}
          value={values[variable.name] ?? null}
        />
      ))}
    </>
  )
}

function VariableField(props: { dashboardId: string; variable: Variable; value: string | string[] | null }) {
  const { dashboardId, variable, value } = props
  const { name, kind, multi, label = name } = variable
  const known = useResource(
    'dashboards.listVariableValues',
    { params: { dashboardId, name } },
    { pace: 'still', when: kind !== 'text' },
  )
  const chosen = useMemo(() => (value === null ? [] : Array.isArray(value) ? value : [value]), [value])
  const options = [...new Set([...(known.data.value ?? variable.values ?? []), ...chosen])]
  const choose = (next: readonly string[]) =>
    setQuery({ [`v.${name}`]: next.length === 0 ? '*' : multi ? joinList(next) : (next[0] ?? '') })
  const [typed, setTyped] = useTyped(chosen[0] ?? '')
  const problem = known.error.value
  if (kind === 'text') {
    return (
      <label class="variable">
        <span>{label}</span>
        <input
          class="input"
          value={typed}
          placeholder="all"
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={(event) => choose(event.currentTarget.value === '' ? [] : [event.currentTarget.value])}
        />
      </label>
    )
  }
  if (!multi) {
    return (
      <label class="variable" title={problem?.message}>
        <span>{label}</span>
        <select
          class="input"
          value={chosen[0] ?? ''}
          onChange={(event) => choose(event.currentTarget.value === '' ? [] : [event.currentTarget.value])}
        >
          <option value="">all</option>
          {options.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    )
  }
  const shown =
    chosen.length === 0 ? 'all' : chosen.length < 3 ? chosen.join(', ') : counted(chosen.length, 'value')
  return (
    <Popover label={`${label}: ${shown}`} text={<VariableText label={label} shown={shown} />}>
      {() => (
        <fieldset class="variable-values">
          <legend class="sr">{label}</legend>
          <label class="check">
            <input type="checkbox" checked={chosen.length === 0} onChange={() => choose([])} />
            <span>all</span>
          </label>
          {options.map((one) => (
            <label class="check" key={one}>
              <input
                type="checkbox"
                checked={chosen.includes(one)}
                onChange={(event) =>
                  choose(
                    event.currentTarget.checked ? [...chosen, one] : chosen.filter((other) => other !== one),
                  )
                }
              />
              <span>{one}</span>
            </label>
          ))}
          {problem && <p class="field-error">{problem.message}</p>}
        </fieldset>
      )}
    </Popover>
  )
}

const VariableText = ({ label, shown }: { label: string; shown: string }) => (
  <>
    <span class="muted">{label}</span> {shown}
  </>
)
