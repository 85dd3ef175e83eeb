import pg from 'pg'

/**
 * Calls back with each notice of the channel, and with null when the connection was made, for the first time or again:
 * notices before it are lost.
 */
export type Listen = (channel: string, heard: (text: string | null) => void) => () => void

/** Hears the notices of other control planes over one connection, which is opened again when it is lost. */
export function createListener(url: string, log: { warn(data: object, message: string): void }): Listen {
  const listeners = new Map<string, Set<(text: string | null) => void>>()
  /** The connection that counts; undefined = nobody listens. */
  let client: pg.Client | undefined
  let connected: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  return (channel, heard) => {
    const known = listeners.get(channel)
    if (known) known.add(heard)
    else listeners.set(channel, new Set([heard]))
    if (!client) connect()
    else if (connected && !known) void join(connected, channel).catch(() => connected?.end())
    return () => {
      const left = listeners.get(channel)
      left?.delete(heard)
      if (left?.size === 0) listeners.delete(channel)
      if (listeners.size === 0) end()
    }
  }

  function connect(): void {
    const next = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
    client = next
    next.on('notification', ({ channel, payload = '' }) => tell(channel, payload))
    next.on('error', (error) =>
      log.warn({ err: error }, 'the store no longer tells of others’ changes; trying again'),
    )
    next.on('end', () => {
      if (client !== next) return
      connected = undefined
      retry = setTimeout(connect, 1_000).unref()
    })
    open(next).catch((error) => {
      log.warn({ err: error }, 'cannot listen to the store; trying again')
      next.end().catch(() => {})
    })
  }

  async function open(next: pg.Client): Promise<void> {
    await next.connect()
    if (client !== next) return next.end()
    connected = next
    for (const channel of listeners.keys()) await join(next, channel)
  }

  async function join(next: pg.Client, channel: string): Promise<void> {
    await next.query(`listen ${channel}`)
    tell(channel, null)
  }

  function tell(channel: string, text: string | null): void {
    for (const heard of listeners.get(channel) ?? []) heard(text)
  }

  function end(): void {
    clearTimeout(retry)
    const last = client
    client = undefined
    connected = undefined
    last?.end().catch(() => {})
  }
}
