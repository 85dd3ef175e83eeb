/** A part of a MergeTree table, as `system.parts` shows it. */
export interface Part {
  name: string
  /** Of its files. */
  hash: string
  rows: number
}

/** What is known of a table's rows at one moment. */
export interface TableParts {
  /** Changes when the table is another one, or defined differently. */
  identity: string
  /** When its replica started, in seconds: of two readings one may be a second later. */
  startedAt: number
  /** A merge of its parts neither removes nor changes a row. */
  keepsRows: boolean
  parts: readonly Part[]
}

/**
 * What changed between two moments: rows were added in these parts and nowhere else, or anything may have
 * changed. A merge changes nothing: its part holds the blocks of the parts that it replaces. Rows that are removed or
 * changed show as a part that is gone without a merge, as a new mutation, or as a merge that lost rows.
 */
export function changedParts(before: TableParts, after: TableParts): readonly string[] | 'all' {
  if (before.identity !== after.identity || Math.abs(before.startedAt - after.startedAt) > 1) return 'all'
  const known = new Map(before.parts.map((part) => [part.name, part]))
  const added: Block[] = []
  for (const part of after.parts) {
    const old = known.get(part.name)
    if (old && old.hash !== part.hash) return 'all'
    const block = old ? null : blockOf(part)
    if (block) added.push(block)
    else if (!old) return 'all'
    known.delete(part.name)
  }
  const changed: string[] = []
  // What is left in `known` is gone; each must have been merged into one of the added parts.
  const gone = [...known.values()].map(blockOf)
  for (const old of gone) {
    if (old === null || !added.some((part) => covers(part, old))) return 'all'
  }
  for (const part of added) {
    const replaced = gone.filter((old) => old !== null && covers(part, old))
    const change = replaced.length === 0 ? 'added' : changeOfMerge(part, replaced as Block[], after.keepsRows)
    if (change === 'all') return 'all'
    if (change === 'added') changed.push(part.name)
  }
  return changed
}

/** A part by its name: `<partition>_<first block>_<last block>_<level>[_<mutation>]`. */
interface Block {
  name: string
  partition: string
  first: number
  last: number
  mutation: string
  rows: number
}

function blockOf({ name, rows }: Part): Block | null {
  const found = /^([^_]+)_(\d+)_(\d+)_\d+(?:_(\d+))?$/.exec(name)
  const [, partition = '', first, last, mutation = ''] = found ?? []
  // A patch changes rows of other parts.
  if (!found || partition.startsWith('patch-')) return null
  return { name, partition, first: Number(first), last: Number(last), mutation, rows }
}

const covers = (part: Block, old: Block): boolean =>
  part.partition === old.partition &&
  part.first <= old.first &&
  part.last >= old.last &&
  part.mutation === old.mutation

function changeOfMerge(
  part: Block,
  replaced: readonly Block[],
  keepsRows: boolean,
): 'all' | 'added' | 'nothing' {
  if (!keepsRows) return 'all'
  const rows = replaced.reduce((sum, old) => sum + old.rows, 0)
  const isWhole =
    Math.min(...replaced.map(({ first }) => first)) === part.first &&
    Math.max(...replaced.map(({ last }) => last)) === part.last
  if (isWhole && rows === part.rows) return 'nothing'
  // The merge also took in blocks that were inserted meanwhile.
  return rows < part.rows ? 'added' : 'all'
}
