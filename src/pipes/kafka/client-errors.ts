import { SourceError } from '../source.ts'

/**
 * What went wrong, in words for the person who set up the pipe. The texts of the client and of brokers are not
 * passed on, because brokers may repeat credentials in theirs.
 */
export interface Fault {
  kind: 'host' | 'tls' | 'credentials' | 'topic' | 'group' | 'protocol'
  verdict: 'retry' | 'stop'
  message: string
}

export function readFault(error: unknown): Fault {
  const inner = [...innerErrors(error)]
  const has = (test: (one: InnerError) => boolean): boolean => inner.some(test)
  const found = rules.find(([test]) => has(test))
  return found?.[1](inner.find(found[0]) as InnerError) ?? unknownFault(inner)
}

export function toSourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error
  const { verdict, message } = readFault(error)
  return new SourceError(verdict, message, { cause: error })
}

interface InnerError {
  name?: string
  message?: string
  code?: string
  apiId?: string
  errors?: unknown[]
  cause?: unknown
  reason?: string
  host?: string
  hostname?: string
  address?: string
  port?: number
}

/** An error, the errors that it gathers, and their causes. */
function* innerErrors(error: unknown, depth = 0): Generator<InnerError> {
  if (typeof error !== 'object' || error === null || depth > 8) return
  const one = error as InnerError
  yield one
  for (const inner of one.errors ?? []) yield* innerErrors(inner, depth + 1)
  yield* innerErrors(one.cause, depth + 1)
}

type Rule = [test: (one: InnerError) => boolean, fault: (one: InnerError) => Fault]

const hasApi = (...ids: string[]): Rule[0] => {
  return ({ apiId }) => ids.includes(apiId ?? '')
}
const hasCode = (...codes: string[]): Rule[0] => {
  return ({ code }) => codes.includes(code ?? '')
}
const says = (pattern: RegExp): Rule[0] => {
  return ({ message }) => pattern.test(message ?? '')
}
const fault = (kind: Fault['kind'], verdict: Fault['verdict'], message: string): Rule[1] => {
  return () => ({ kind, verdict, message })
}

const rules: Rule[] = [
  [
    hasApi('SASL_AUTHENTICATION_FAILED'),
    fault('credentials', 'stop', 'The broker refuses these credentials.'),
  ],
  [
    hasApi('UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE'),
    fault('credentials', 'stop', 'The broker does not offer this kind of authentication.'),
  ],
  [
    hasApi('TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED'),
    fault('topic', 'stop', 'The broker does not let this user read the topic.'),
  ],
  [
    hasApi('GROUP_AUTHORIZATION_FAILED'),
    fault('group', 'stop', 'The broker does not let this user use the consumer group.'),
  ],
  [
    hasApi('UNKNOWN_TOPIC_OR_PARTITION', 'UNKNOWN_TOPIC_ID', 'INVALID_TOPIC_EXCEPTION'),
    fault('topic', 'stop', 'The topic does not exist.'),
  ],
  [
    says(/^Unknown topic /),
    ({ message }) => ({
      ...{ kind: 'topic', verdict: 'stop' },
      message: `The topic ${/^Unknown topic (.*?)\.?$/.exec(message ?? '')?.[1] ?? ''} does not exist.`,
    }),
  ],
  [
    says(/provider threw an error/),
    fault('credentials', 'retry', 'The access token could not be obtained from AWS.'),
  ],
  [
    says(/SCRAM|SASL authentication failed|Invalid server signature/i),
    fault('credentials', 'stop', 'The broker refuses these credentials.'),
  ],
  [
    ({ name }) => name === 'EgressRefused',
    ({ message }) => ({ kind: 'host', verdict: 'stop', message: message ?? '' }),
  ],
  [
    hasCode('ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA'),
    ({ hostname }) => ({
      ...{ kind: 'host', verdict: 'retry' },
      message: `The name ${hostname ?? 'of the broker'} is unknown to the network.`,
    }),
  ],
  [
    hasCode('ECONNREFUSED'),
    (one) => ({
      ...{ kind: 'host', verdict: 'retry' },
      message: `${placeOf(one)} refuses connections: nothing listens there, or a firewall is in between.`,
    }),
  ],
  [
    hasCode('EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ETIMEDOUT', 'EACCES', 'EPERM'),
    (one) => ({ kind: 'host', verdict: 'retry', message: `${placeOf(one)} cannot be reached.` }),
  ],
  [
    hasCode(
      ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'CERT_SIGNATURE_FAILURE'],
    ),
    fault('tls', 'stop', "The broker's certificate is signed by no known authority: give its caCertificate."),
  ],
  [
    hasCode('CERT_HAS_EXPIRED'),
    fault('tls', 'stop', "The broker's certificate, or that of its authority, has expired."),
  ],
  [
    hasCode('ERR_TLS_CERT_ALTNAME_INVALID'),
    fault('tls', 'stop', "The broker's certificate is for another host name."),
  ],
  [
    says(/certificate required|alert bad certificate|alert unknown ca|certificate unknown/i),
    fault('credentials', 'stop', 'The broker refuses the client certificate, or wants one.'),
  ],
  [
    ({ code, message }) => /^ERR_(OSSL|SSL)|^EPROTO$/.test(code ?? '') || /TLS handshake/.test(message ?? ''),
    fault('tls', 'stop', 'TLS with the broker fails: it may not speak TLS on this port.'),
  ],
  [says(/Broker requires TLS/), fault('tls', 'stop', 'The broker wants TLS: give its caCertificate.')],
  [
    hasCode('PLT_KFK_UNSUPPORTED_API', 'PLT_KFK_UNSUPPORTED'),
    fault('protocol', 'stop', 'The broker is too old: Kafka 2.3 or newer is needed.'),
  ],
  [hasCode('PLT_KFK_TIMEOUT'), fault('host', 'retry', 'The broker does not answer in time.')],
]

function unknownFault(inner: readonly InnerError[]): Fault {
  const apiId = inner.find((one) => one.apiId !== undefined)?.apiId
  if (apiId !== undefined) {
    return { kind: 'protocol', verdict: 'retry', message: `The broker answers with the error ${apiId}.` }
  }
  return { kind: 'host', verdict: 'retry', message: 'The connection to the broker was closed.' }
}

const placeOf = ({ address, port }: InnerError): string =>
  address === undefined ? 'The broker' : `${address}:${port ?? ''}`
