import { useState } from 'preact/hooks'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { formatCount } from '../../lib/numbers.ts'
import { counted } from '../../lib/words.ts'
import {
  filterSchema,
  isInternal,
  type SchemaColumn,
  type SchemaDatabase,
  type SchemaTable,
  tableName,
} from './schema.ts'

/** Databases, their tables, their columns; ◆ marks the sorting key. A click on a name of a column writes it. */
export function SchemaTree(props: {
  databases: readonly SchemaDatabase[]
  sought: string
  onInsert: (name: string) => void
}) {
  const { databases, sought, onInsert } = props
  const isSought = sought.trim() !== ''
  const shown = isSought ? filterSchema(databases, sought) : databases
  if (shown.length === 0)
    return <p class="sql-schema-note muted">No table or column has “{sought.trim()}”.</p>
  return (
    <ul class="sql-tree">
      {shown.map(({ name, tables }) => (
        <Branch
          key={`${name}${isSought}`}
          icon="database"
          name={name}
          note={counted(tables.length, 'table')}
          isOpenFirst={isSought ? tables.length <= 20 : !isInternal(name) && tables.length > 0}
        >
          {() => (
            <ul>
              {tables.map((table) => (
                <Table
                  key={table.name}
                  table={table}
                  onInsert={onInsert}
                  full={tableName(name, table.name)}
                />
              ))}
            </ul>
          )}
        </Branch>
      ))}
    </ul>
  )
}

function Table({
  table,
  full,
  onInsert,
}: {
  table: SchemaTable
  full: string
  onInsert: (name: string) => void
}) {
  const { name, isView, rows, columns } = table
  return (
    <Branch
      icon={isView ? 'eye' : 'table'}
      name={name}
      note={isView ? 'view' : rows === null ? '' : formatCount(rows)}
    >
      {() => (
        <ul class="sql-columns">
          <li>
            <button type="button" onClick={() => onInsert(full)}>
              Write {full}
            </button>
          </li>
          {columns.map((column) => (
            <Column key={column.name} column={column} onInsert={onInsert} />
          ))}
        </ul>
      )}
    </Branch>
  )
}

function Column({ column, onInsert }: { column: SchemaColumn; onInsert: (name: string) => void }) {
  const { name, type, isInSortingKey } = column
  return (
    <li>
      <button type="button" title={type} onClick={() => onInsert(name)}>
        <span class="mono">{name}</span>
        <span class="muted mono">{type}</span>
        {isInSortingKey && (
          <span class="sql-key" title="In the sorting key">
            ◆<span class="sr"> in the sorting key</span>
          </span>
        )}
      </button>
    </li>
  )
}

function Branch(props: {
  icon: IconName
  name: string
  note: string
  isOpenFirst?: boolean
  children: () => preact.ComponentChildren
}) {
  const { icon, name, note, isOpenFirst = false, children } = props
  const [isOpen, setOpen] = useState(isOpenFirst)
  return (
    <li>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} size="tiny" />
        <Icon name={icon} size="small" />
        <span class="sql-tree-name">{name}</span>
        <span class="muted">{note}</span>
      </button>
      {isOpen && children()}
    </li>
  )
}
