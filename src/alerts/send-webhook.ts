import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { readWebhookSecret } from '../domain/alert/rules.ts'
import type { Clock } from '../lib/clock.ts'
import { createGuardedAgents, type EgressPolicy, EgressRefused, resolveAllowed } from '../lib/egress/guard.ts'
import type { EgressList } from '../lib/egress/list.ts'

export interface Webhook {
  url: string
  /** The same in every attempt. */
  id: string
  body: string
  secret: string
}

/** `status` is null when nothing answered; `error` is null only for a 2xx. */
export interface Attempt {
  status: number | null
  error: string | null
}

export interface Webhooks {
  /** One attempt, at most 10 s. Never rejects. */
  send(webhook: Webhook, signal?: AbortSignal): Promise<Attempt>
  /** Why an address is refused; null = it may be used, or its name cannot be resolved now. */
  refusal(url: string): Promise<string | null>
}

const limitMs = 10_000
/** How long saving an alert waits for the name of its webhook. */
const resolveLimitMs = 2_000

/**
 * Webhooks after the Standard Webhooks specification. Addresses that are not public are refused when they are
 * connected to, whatever name led there; redirects are not followed.
 */
export function createWebhooks({ clock, list }: { clock: Clock; list: EgressList }): Webhooks {
  const policy: EgressPolicy = { list, who: 'Webhooks', setting: 'GRANARY_WEBHOOK_ALLOW' }
  const { httpAgent, httpsAgent } = createGuardedAgents(policy)

  return {
    async send({ url, id, body, secret }, signal) {
      const timestamp = Math.floor(clock.now() / 1000)
      const key = readWebhookSecret(secret) ?? Buffer.alloc(0)
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
      const headers = {
        ...{ 'content-type': 'application/json', 'user-agent': 'granary-webhooks', connection: 'close' },
        ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
        'content-length': Buffer.byteLength(body),
      }
      const stop = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])])
      try {
        const status = await post(new URL(url), body, headers, stop)
        return { status, error: status >= 200 && status < 300 ? null : `it answered ${status}` }
      } catch (error) {
        return { status: null, error: wordsOf(error as NodeJS.ErrnoException) }
      }
    },
    async refusal(url) {
      const { hostname } = new URL(url)
      const waiting = clock.sleep(resolveLimitMs).then(() => null)
      const resolving = resolveAllowed(policy, hostname).then(
        () => null,
        (error: unknown) => (error instanceof EgressRefused ? error.message : null),
      )
      return Promise.race([resolving, waiting])
    },
  }

  function post(url: URL, body: string, headers: Record<string, string | number>, signal: AbortSignal) {
    const isSecure = url.protocol === 'https:'
    const send = isSecure ? httpsRequest : httpRequest
    return new Promise<number>((resolve, reject) => {
      const agent = isSecure ? httpsAgent : httpAgent
      const request = send(url, { method: 'POST', headers, agent, signal }, (response) => {
        resolve(response.statusCode ?? 0)
        // Nothing of the answer is wanted.
        response.destroy()
      })
      request.on('error', reject)
      request.end(body)
    })
  }
}

/** What a person may see of a failure: no path, no query and no header of the webhook. */
function wordsOf(error: NodeJS.ErrnoException): string {
  if (error instanceof EgressRefused) return error.message
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return `no answer within ${limitMs / 1000} s`
  return `it cannot be reached (${error.code ?? error.name})`
}
