import { createHash } from 'node:crypto'
import type { PipeLane } from '../../store/store.ts'

/** What the name of a batch tells, in the ledger of the warehouse too. */
export interface TokenParts {
  pipeId: string
  resync: number
  round: number
  sequence: number
}

/** Unique for ever. The sequence orders the batches of a lane, whose positions only the source understands. */
export function tokenOf(
  { pipeId, resync, round, sequence }: TokenParts,
  lane: string,
  first: string,
  last: string,
): string {
  return `${pipeId}:${resync}.${round}:${sequence}:${lane}:${shortened(first)}-${shortened(last)}`
}

/** A token goes with every statement of its batch, and the position of a list of objects may be many names. */
const shortened = (position: string): string =>
  position.length <= 100 ? position : createHash('sha256').update(position).digest('hex').slice(0, 32)

export function readToken(token: string): TokenParts | null {
  const found = /^([^:]+):(\d+)\.(\d+):(\d+):/.exec(token)
  if (!found) return null
  const [, pipeId = '', resync, round, sequence] = found
  return { pipeId, resync: Number(resync), round: Number(round), sequence: Number(sequence) }
}

/** A lane whose journal and whose ledger tell different ends. */
export interface Move {
  lane: PipeLane
  /** `back`: a restored backup lacks rows, which are read again. `forward`: the journal was restored instead. */
  direction: 'back' | 'forward'
}

/**
 * Compares the journal with the warehouse's own ledger. A ledger without any batch of the pipe was lost or dropped,
 * which says nothing about the rows: `isLost`, and no lane is moved.
 */
export function compareLedger(
  lanes: readonly PipeLane[],
  committed: readonly { lane: string; token: string; last: string }[],
  { pipeId, resync }: Pick<TokenParts, 'pipeId' | 'resync'>,
  /** Lanes with a batch that was begun, which the ledger may know already. */
  pending: ReadonlySet<string>,
): { moves: Move[]; isLost: boolean } {
  const told = new Map<string, { sequence: number; last: string }>()
  for (const { lane, token, last } of committed) {
    const parts = readToken(token)
    if (parts?.pipeId === pipeId && parts.resync === resync)
      told.set(lane, { sequence: parts.sequence, last })
  }
  const used = lanes.filter(({ sequence }) => sequence > 0)
  if (told.size === 0) return { moves: [], isLost: used.length > 0 }
  const known = new Map(lanes.map((lane) => [lane.name, lane]))
  const names = new Set([...used.map(({ name }) => name), ...told.keys()])
  const moves = [...names].flatMap((name): Move[] => {
    const lane = known.get(name) ?? { name, epoch: 0, position: null, sequence: 0, round: 0 }
    const { sequence, last } = told.get(name) ?? { sequence: 0, last: null }
    if (sequence === lane.sequence || (pending.has(name) && sequence === lane.sequence + 1)) return []
    const isBack = sequence < lane.sequence
    // Rows of the same positions must not be taken for those that a restored backup lacks.
    const moved = { ...lane, position: last, sequence, round: lane.round + (isBack ? 1 : 0) }
    return [{ lane: moved, direction: isBack ? 'back' : 'forward' }]
  })
  return { moves, isLost: false }
}
