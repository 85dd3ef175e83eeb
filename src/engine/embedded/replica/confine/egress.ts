import { type EgressList, refusalText } from '../../../../lib/egress/list.ts'
import type { EgressPreparation, Endpoint } from '../../../../process/confine/egress.ts'
import { EngineError } from '../../engine-error.ts'
import type { ReplicaSpec } from '../../protocol.ts'
import { findRefusedHost } from './literal-hosts.ts'

/** Where SQL may connect to. */
export interface Egress {
  /** '' = each connect is judged; else why only hosts that a statement names as addresses are. */
  readonly missing: string
  /** Throws if the statement is to be refused before it runs. */
  check(sql: string): void
  /** Called before a statement runs; what it returns names in an error what was refused meanwhile. */
  watch(): (error: unknown) => unknown
  /** For jobs of the product: lets these through until the returned function is called. */
  grant(endpoints: readonly Endpoint[]): () => void
}

const setting = 'GRANARY_EGRESS_ALLOW'
const openList: EgressList = { widest: 'any', ranges: [] }

export async function confineEgress(
  { isolation, egress: list = openList }: Pick<ReplicaSpec, 'isolation' | 'egress'>,
  preparation: EgressPreparation,
): Promise<Egress> {
  if (isolation === 'off') preparation.drop()
  const guard = isolation === 'off' ? { missing: 'off' } : await preparation.confine(list)
  if ('missing' in guard) {
    if (isolation === 'required') throw new Error(`isolation is required, but there is ${guard.missing}`)
    return createLiteralEgress(list, guard.missing)
  }
  return {
    missing: '',
    check: () => undefined,
    grant: guard.grant,
    watch() {
      const before = guard.count()
      return (error) => {
        const [refused] = guard.refusedSince(before)
        return refused !== undefined && isOfConnecting(error) ? named(error, refused) : error
      }
    },
  }
}

/** All that can be had where the system has no filter: names that lead to such an address pass. */
export function createLiteralEgress(list: EgressList, missing: string): Egress {
  return {
    missing,
    check(sql) {
      const address = findRefusedHost(sql, list)
      if (address !== null)
        throw new EngineError(497, 'ACCESS_DENIED', refusalText('SQL', address, 0, setting))
    },
    watch: () => (error) => error,
    grant: () => () => undefined,
  }
}

/**
 * Another statement may have been refused in the same moment: only an error that a failed connect makes is taken for
 * one. These are the codes of the engine's clients of other systems; the text is that of the supervisor's error number.
 */
const connectingCodes = new Set([
  // Exceptions of libraries: of Poco, Azure, MongoDB.
  ...[1000, 1001, 1002],
  // Network, MySQL, PostgreSQL, S3, Azure, HDFS, Delta Lake, bridges, databases and dictionaries that are elsewhere.
  ...[209, 210, 279, 614, 499, 746, 660, 742, 302, 410, 501, 156],
])

const isOfConnecting = (error: unknown): error is EngineError =>
  error instanceof EngineError &&
  (connectingCodes.has(error.code) || /Too many open files/.test(error.message))

function named({ code, type, message, cause }: EngineError, { address, port }: Endpoint): EngineError {
  const text = refusalText('SQL', address, port, setting)
  return new EngineError(code, type, `${text}: ${message}`, { cause })
}
