import { PeerError } from '../../lib/json-peer.ts'
import { SourceError } from '../source.ts'

/** What an error of a connection or a statement is about, for the field that a check names. */
export type FaultKind = 'host' | 'tls' | 'credentials' | 'database' | 'rights' | 'slot' | 'other'

export interface Fault {
  kind: FaultKind
  verdict: 'retry' | 'stop'
  message: string
}

export function toSourceError(error: unknown): unknown {
  if (error instanceof SourceError || error instanceof PeerError) return error
  const fault = readFault(error)
  // An error that neither the server nor the network knows is our own.
  if (fault === null) return error
  return new SourceError(fault.verdict, fault.message, { cause: error })
}

export function readFault(error: unknown): Fault | null {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const byState = /^[0-9A-Z]{5}$/.test(code) ? faultOfState(code, message) : null
  if (byState) return byState
  if (
    /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|HOSTNAME_MISMATCH|EPROTO/.test(code) ||
    /certificate/i.test(message)
  )
    return { kind: 'tls', verdict: 'stop', message: `The server's certificate is not accepted: ${message}.` }
  if (/does not support SSL/i.test(message))
    return {
      kind: 'tls',
      verdict: 'stop',
      message: 'The server does not speak TLS: set disableTls to connect in the clear.',
    }
  if (/^E[A-Z]+$/.test(code) || /timeout|terminated|Connection|closed/i.test(message))
    return { kind: 'host', verdict: 'retry', message: `The server does not answer: ${message || code}.` }
  return null
}

function faultOfState(code: string, message: string): Fault {
  const kind = kinds[code] ?? kinds[code.slice(0, 2)] ?? 'other'
  // Classes of trouble that passes: connections, resources, an operator, locks, and the system itself.
  const passes = /^(08|53|57|58|40|55P03|55006|25|XX)/.test(code) && code !== '57P04'
  const isOver = kind === 'credentials' || kind === 'rights' || kind === 'slot' || !passes
  return { kind, verdict: isOver ? 'stop' : 'retry', message: `Postgres says: ${message}.` }
}

const kinds: Record<string, FaultKind> = {
  ...{ '28': 'credentials', '28P01': 'credentials', '28000': 'credentials', '3D000': 'database' },
  ...{ '42501': 'rights', '08': 'host', '57': 'host', '53': 'other' },
}
