/**
 * One stream of events for all tabs of a session: over HTTP/1.1 a browser opens six connections to a host, and a stream
 * holds one of them. The tab that has the lock holds the stream and passes on what it gets; when that tab goes, the
 * lock goes to another tab, whose new stream tells all of them that it opened. Locks are missing where the page does not
 * come over HTTPS or from this machine: there each tab has a stream of its own while it is visible.
 */
export type News =
  | { kind: 'opened' }
  /** The stream is open since before this tab came. */
  | { kind: 'isOpen' }
  | { kind: 'lost' }
  | { kind: 'event'; data: string }

type Message = News | { kind: 'joined' }

/** Tells news of the stream at this address until the returned function is called. Tabs that give the same name share it. */
export function followStream(url: string, name: string, onNews: (news: News) => void): () => void {
  return 'locks' in navigator ? shareStream(url, name, onNews) : openWhileVisible(url, onNews)
}

function shareStream(url: string, name: string, onNews: (news: News) => void): () => void {
  const left = new AbortController()
  const channel = new BroadcastChannel(name)
  const say = (message: Message) => channel.postMessage(message)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'joined') onNews(data)
  }
  say({ kind: 'joined' })

  const lead = () =>
    new Promise<void>((resolve) => {
      let isOpen = false
      channel.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.kind === 'joined' && isOpen) say({ kind: 'isOpen' })
      }
      const close = openStream(url, (news) => {
        if (news.kind !== 'event') isOpen = news.kind === 'opened'
        say(news)
        onNews(news)
      })
      left.signal.addEventListener('abort', () => {
        close()
        resolve()
      })
    })
  // It is refused only when the tab leaves before its turn.
  navigator.locks.request(name, { signal: left.signal }, lead).catch(() => {})
  return () => {
    left.abort()
    channel.close()
  }
}

function openWhileVisible(url: string, onNews: (news: News) => void): () => void {
  let close = () => {}
  const follow = () => {
    close()
    close = () => {}
    if (document.visibilityState === 'visible') close = openStream(url, onNews)
    else onNews({ kind: 'lost' })
  }
  follow()
  document.addEventListener('visibilitychange', follow)
  return () => {
    document.removeEventListener('visibilitychange', follow)
    close()
  }
}

const retryMs = 30_000

/** A broken connection is opened again by the browser; one that was refused, after a while. */
function openStream(url: string, onNews: (news: News) => void): () => void {
  let source: EventSource
  let timer: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    source = new EventSource(url)
    source.onopen = () => onNews({ kind: 'opened' })
    source.onmessage = ({ data }) => onNews({ kind: 'event', data: String(data) })
    source.onerror = () => {
      onNews({ kind: 'lost' })
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, retryMs)
    }
  }
  open()
  return () => {
    clearTimeout(timer)
    source.close()
  }
}
