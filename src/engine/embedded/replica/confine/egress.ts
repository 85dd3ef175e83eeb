import { type EgressList, refusalText } from '../../../../lib/egress/list.ts'
import type { EgressPreparation, Endpoint } from '../../../../process/confine/egress.ts'
import { EngineError } from '../../engine-error.ts'
import type { ReplicaSpec } from '../../protocol.ts'
import { findRefusedHost } from './literal-hosts.ts'

/** Where SQL may connect to. */
export interface Egress {
  /** '' = each connect is checked; otherwise why only hosts that a statement names as addresses are. */
  readonly missing: string
  /** Throws if the statement must be refused before it runs; it may reach these endpoints. */
  check(sql: string, endpoints: readonly Endpoint[]): void
  /** Called before a statement runs; the returned function adds to an error the connect that was refused meanwhile. */
  watch(): (error: unknown) => unknown
  /** For the product's own jobs: allows these endpoints until the returned function is called. */
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

/** The fallback where the system cannot filter connects: host names that resolve to a refused address pass. */
export function createLiteralEgress(list: EgressList, missing: string): Egress {
  return {
    missing,
    check(sql, endpoints) {
      const address = findRefusedHost(sql, list, endpoints)
      if (address !== null)
        throw new EngineError(497, 'ACCESS_DENIED', refusalText('SQL', address, 0, setting))
    },
    watch: () => (error) => error,
    grant: () => () => undefined,
  }
}

/**
 * The refused connect may belong to another statement of the same moment, so only errors of a failed connect count.
 * These are the codes of the engine's clients for other systems; the text is that of the supervisor's error number.
 */
const connectingCodes = new Set([
  // Exceptions of the libraries Poco, Azure and MongoDB.
  ...[1000, 1001, 1002],
  // Network, MySQL, PostgreSQL, S3, Azure, HDFS, Delta Lake, bridges, remote databases and remote dictionaries.
  ...[209, 210, 279, 614, 499, 746, 660, 742, 302, 410, 501, 156],
])

const isOfConnecting = (error: unknown): error is EngineError =>
  error instanceof EngineError &&
  (connectingCodes.has(error.code) || /Too many open files/.test(error.message))

function named({ code, type, message, cause }: EngineError, { address, port }: Endpoint): EngineError {
  const text = refusalText('SQL', address, port, setting)
  return new EngineError(code, type, `${text}: ${message}`, { cause })
}
