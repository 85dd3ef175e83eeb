import { KinesisClient } from '@aws-sdk/client-kinesis'
import { NodeHttp2Handler, NodeHttpHandler } from '@smithy/node-http-handler'
import type { KinesisSource, PipeSecrets } from '../../domain/pipe/types.ts'
import {
  createGuardedAgents,
  createGuardedLookup,
  type EgressPolicy,
  resolveAllowed,
} from '../../lib/egress/guard.ts'
import { assumedRole, keysOfSecret, patience } from '../aws/assumed-role.ts'

export interface Clients {
  /** For requests with one answer. */
  calls: KinesisClient
  /** For subscriptions, whose answers last for minutes. */
  streams: KinesisClient
  close(): void
}

/** Clients of a stream's region, or of the endpoint that AWS_ENDPOINT_URL_KINESIS or AWS_ENDPOINT_URL names. */
export function connectKinesis(
  { region, authentication, iamRole }: KinesisSource,
  { accessKey }: PipeSecrets,
  egress: EgressPolicy,
): Clients {
  const own = keysOfSecret(accessKey)
  const keys =
    authentication === 'IAM_ROLE' ? assumedRole({ roleArn: iamRole, own, region, egress }) : async () => own
  const credentials = async () => {
    const found = await keys()
    if (found === undefined) throw Object.assign(new Error(), { name: 'CredentialsProviderError' })
    return found
  }
  const open = (requestHandler: NodeHttpHandler) =>
    new KinesisClient({ region, credentials, maxAttempts: 3, requestHandler })
  const calls = open(new NodeHttpHandler({ ...patience, ...createGuardedAgents(egress) }))
  const streams = open(createStreamHandler(egress))
  return {
    ...{ calls, streams },
    close() {
      calls.destroy()
      streams.destroy()
    },
  }
}

/** AWS serves subscriptions over HTTP/2; a local server without TLS has HTTP/1 only. */
function createStreamHandler(egress: EgressPolicy): NodeHttpHandler {
  const plain = new NodeHttpHandler({
    connectionTimeout: patience.connectionTimeout,
    ...createGuardedAgents(egress),
  })
  const secure = new NodeHttp2Handler({
    disableConcurrentStreams: true,
    nodeHttp2ConnectOptions: { lookup: createGuardedLookup(egress) } as object,
  })
  const handle: NodeHttpHandler['handle'] = async (request, options) => {
    if (request.protocol === 'http:') return plain.handle(request, options)
    // Sockets look no literal addresses up.
    await resolveAllowed(egress, request.hostname)
    return secure.handle(request, options)
  }
  return Object.assign(Object.create(plain) as NodeHttpHandler, {
    handle,
    destroy() {
      plain.destroy()
      secure.destroy()
    },
  })
}
