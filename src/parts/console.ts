import type { Logger } from 'pino'
import { openSite } from '../console/open-site.ts'
import type { ConsoleState } from '../console/site.ts'
import type { Part } from './part.ts'

export interface ConsolePart extends Part {
  state(): ConsoleState
}

/** Reads the console, and builds it where it is not built yet, beside everything else: no start waits for it. */
export function createConsolePart({
  log,
  open = openSite,
}: {
  log: Logger
  open?: typeof openSite
}): ConsolePart {
  const stopping = new AbortController()
  let state: ConsoleState = { kind: 'building' }
  let working: Promise<void> = Promise.resolve()
  const onBuild = () => log.info('building the console: no build of these sources is there yet')

  async function prepare(): Promise<void> {
    try {
      state = { kind: 'ready', site: await open({ onBuild, signal: stopping.signal }) }
    } catch (error) {
      if (stopping.signal.aborted) return
      state = { kind: 'failed' }
      log.error({ err: error }, 'the console could not be built; the APIs work without it')
    }
  }

  return {
    name: 'console',
    state: () => state,
    async start() {
      working = prepare()
    },
    stop: {
      async jobs() {
        stopping.abort()
        await working
      },
    },
  }
}
