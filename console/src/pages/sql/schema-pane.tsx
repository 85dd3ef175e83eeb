import { useState } from 'preact/hooks'
import type { ApiError } from '../../api/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorBox } from '../../kit/error-box.tsx'
import { Select } from '../../kit/select-field.tsx'
import { Skeleton } from '../../kit/skeleton.tsx'
import { serviceLooks } from '../../kit/states.ts'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { navigate } from '../../lib/address.ts'
import { shortened } from '../../lib/sql-statements.ts'
import { history } from './history.ts'
import { NamedQueries } from './named-queries.tsx'
import type { Schema } from './schema.ts'
import { SchemaTree } from './schema-tree.tsx'
import type { Service } from './workbench.tsx'

/** The service, its tables, and what ran last. On a phone tables and history open below their button. */
export function SchemaPane(props: {
  service: Service
  services: readonly Service[]
  schema: Schema | null
  error: ApiError | null
  reload: () => void
  onInsert: (name: string) => void
  onOpen: (text: string) => void
}) {
  const { service, services, schema, error, reload, onInsert, onOpen } = props
  const [sought, setSought] = useState('')
  const [isOpen, setOpen] = useState(false)
  const options = services.map(({ id, name, state }) => ({
    value: id,
    name: `${name} (${stateWords(state)})`,
  }))
  return (
    <aside class={isOpen ? 'sql-schema sql-schema-open' : 'sql-schema'} aria-label="Schema">
      <div class="sql-schema-head">
        <Select
          label="Service"
          isSmall
          value={service.id}
          options={options}
          onChange={(id) => void navigate(`/sql/${id}`)}
        />
        <input
          class="input input-small"
          type="search"
          aria-label="Find table or column"
          placeholder="Find table or column"
          data-mark="filter"
          value={sought}
          onInput={(event) => {
            setSought(event.currentTarget.value)
            setOpen(true)
          }}
        />
        <span class="only-phone">
          <Button size="small" icon="table" isExpanded={isOpen} onPress={() => setOpen(!isOpen)}>
            Tables and history
          </Button>
        </span>
      </div>
      <div class="sql-schema-body">
        {schema ? (
          <SchemaTree databases={schema.databases} sought={sought} onInsert={onInsert} />
        ) : error ? (
          <ErrorBox error={error} retry={reload} />
        ) : service.state === 'running' ? (
          <Skeleton rows={6} />
        ) : (
          <p class="sql-schema-note muted">
            {service.name} is {serviceLooks[service.state].word.toLowerCase()}: its tables are read when it
            runs.
          </p>
        )}
      </div>
      <NamedQueries serviceId={service.id} />
      <History serviceId={service.id} onOpen={onOpen} />
    </aside>
  )
}

const stateWords = (state: Service['state']): string =>
  state === 'idle' ? 'asleep, wakes on run' : serviceLooks[state].word.toLowerCase()

function History({ serviceId, onOpen }: { serviceId: string; onOpen: (text: string) => void }) {
  const own = history.value.filter((past) => past.serviceId === serviceId)
  if (own.length === 0) return null
  return (
    <section class="sql-history">
      <h2>History</h2>
      <ol>
        {own.map(({ text, outcome, isFailed, at }) => (
          <li key={text}>
            <button type="button" title={shortened(text, 1_000)} onClick={() => onOpen(text)}>
              <code>{shortened(text.replaceAll(/\s+/g, ' '), 80)}</code>
              <span class={isFailed ? 'ink' : 'muted'} {...(isFailed ? { 'data-hue': 'bad' } : {})}>
                {shortened(outcome, 60)} · <TimeAgo at={at} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
