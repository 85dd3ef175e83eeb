import type { ChangeStep } from '../../../src/pipes/changes.ts'
import type { Batch, ChangesSection } from '../../../src/pipes/source.ts'
import { createLaneMemory, type LaneMemory } from './lane-memory.ts'

/** The runtime's side of a pipe from a database, in memory: lanes, and the tables that their batches make. */
export interface MemoryTarget extends LaneMemory {
  /** The live rows of a table as texts, sorted. */
  rows(target: string): string[]
  /** Names and values of everything that a batch did, in the order of the commits. */
  batches: { lane: string; batch: Batch; steps: ChangeStep<ChangesSection>[] }[]
  /** Runs before a batch is taken; a batch whose call rejects is refused. */
  beforeCommit: (lane: string, batch: Batch) => Promise<void>
}

interface Row {
  values: Map<string, string>
  version: bigint
  isDeleted: boolean
}

interface Table {
  key: string[]
  /** By their keys, as the engine's FINAL would show them. */
  rows: Map<string, Row>
}

export function createMemoryTarget(): MemoryTarget {
  const tables = new Map<string, Table>()
  const memory = createLaneMemory({
    ...{ isExclusive: false, changes: createMemorySpool },
    async commit(lane, batch) {
      await target.beforeCommit(lane, batch)
      if (!('steps' in batch.content)) throw new Error('a batch of steps is expected')
      const { steps } = batch.content
      for (const step of steps) take(tables, step)
      target.batches.push({ lane, batch, steps })
    },
  })
  const target: MemoryTarget = Object.assign(memory, {
    batches: [],
    beforeCommit: async () => undefined,
    rows: (name: string) =>
      [...(tables.get(name)?.rows.values() ?? [])]
        .filter(({ isDeleted }) => !isDeleted)
        .map(({ values }) => [...values.values()].join('\t'))
        .sort(),
  })
  return target
}

class Section implements ChangesSection {
  rows = 0
  text = ''
  write(bytes: Uint8Array, start: number, end: number): void {
    this.text += Buffer.from(bytes.subarray(start, end)).toString('latin1')
  }
}

function createMemorySpool() {
  const sections: Section[] = []
  let isDiscarded = false
  return {
    get bytes() {
      return sections.reduce((sum, { text }) => sum + text.length, 0)
    },
    section() {
      if (isDiscarded) throw new Error('the spool was discarded')
      const made = new Section()
      sections.push(made)
      return made
    },
    async discard() {
      isDiscarded = true
    },
  }
}

function take(tables: Map<string, Table>, step: ChangeStep<ChangesSection>): void {
  const name = 'isSide' in step && step.isSide ? `${step.target}_resync` : step.target
  if (step.do === 'create') {
    if (step.isSide || !tables.has(name)) tables.set(name, { key: step.key, rows: new Map() })
    return
  }
  const table = tables.get(name)
  if (step.do === 'swap') {
    const side = tables.get(`${step.target}_resync`)
    if (side) tables.set(step.target, side)
    tables.delete(`${step.target}_resync`)
    return
  }
  if (table === undefined) throw new Error(`there is no table ${name}`)
  if (step.do === 'add') addColumns(table, step)
  else if (step.do === 'empty') {
    for (const [key, { version }] of table.rows) if (version < BigInt(step.before)) table.rows.delete(key)
  } else for (const line of linesOf(step.data)) takeLine(table, step, line)
}

function addColumns({ rows }: Table, { columns }: Extract<ChangeStep, { do: 'add' }>): void {
  for (const { values } of rows.values())
    for (const { name, missing } of columns) values.set(name, missing ?? '\\N')
}

const linesOf = (data: ChangesSection): string[][] =>
  (data as Section).text
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(line, 'latin1').toString('utf8').split('\t'))

type RowStep = Extract<ChangeStep<ChangesSection>, { data: ChangesSection }>

function takeLine(table: Table, step: RowStep, line: string[]): void {
  const count = step.columns.length
  const values = new Map(step.columns.map(({ name }, index) => [name, line[index] ?? '']))
  const rest = line.slice(count)
  if (step.do === 'insert' && step.isLoad) rest.unshift('0', '0')
  const version = BigInt(rest[0] ?? '')
  const keyOf = (row: Map<string, string>, id = rest[2] ?? ''): string =>
    step.key.length === 0 ? id : step.key.map((name) => row.get(name)).join('\0')
  if (step.do === 'remove') {
    const same = [...table.rows]
      .filter(
        ([, row]) => !row.isDeleted && [...values].every(([name, value]) => row.values.get(name) === value),
      )
      .sort(([, one], [, other]) => Number(one.version - other.version))
    if (same[0]) put(table, same[0][0], { values, version, isDeleted: true })
    return
  }
  if (step.do === 'fill') {
    const current = table.rows.get(rest.slice(3).join('\0'))
    for (const index of JSON.parse(rest[2] ?? '[]') as number[]) {
      const name = step.columns[index]?.name ?? ''
      values.set(
        name,
        current === undefined || current.isDeleted ? 'missing' : (current.values.get(name) ?? ''),
      )
    }
  }
  put(table, keyOf(values), { values, version, isDeleted: rest[1] === '1' })
}

function put({ rows }: Table, key: string, row: Row): void {
  const known = rows.get(key)
  if (known === undefined || known.version <= row.version) rows.set(key, row)
}
