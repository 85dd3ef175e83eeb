import type { ResultOf } from '../api/operations.ts'
import { isMissing, type Session } from './session.ts'
import { type Watch, type Watched, watch } from './wait.ts'

type Pipe = ResultOf<'pipes.get'>
type Aim = 'running' | 'stopped' | 'gone'

const reached: Record<Exclude<Aim, 'gone'>, readonly string[]> = {
  running: ['Running', 'Snapshot', 'Completed'],
  stopped: ['Stopped', 'Paused', 'Completed'],
}

/** Waits until a pipe reads its source, rests, or no longer exists. */
export function watchPipe(session: Session, pipe: Pipe, aim: Aim, timeoutMs: number): Promise<Watched<Pipe>> {
  const { client, signal } = session
  const params = { serviceId: pipe.serviceId, pipeId: pipe.id }
  return watch(session, {
    what: `pipe ${pipe.name}`,
    // The answer to a deletion shows the pipe as it was.
    first: pipe,
    timeoutMs,
    describe: ({ state, reason }) => (reason ? `${state}, ${reason}` : state),
    read: () =>
      client.call('pipes.get', { params, signal }).catch((error) => {
        if (isMissing(error)) return null
        throw error
      }),
    judge: (now) => judge(now, aim),
  })
}

function judge(pipe: Pipe | null, aim: Aim): ReturnType<Watch<Pipe>['judge']> {
  if (pipe === null) return aim === 'gone' ? 'done' : { failed: 'no longer exists' }
  if (aim === 'gone') return 'pending'
  if (reached[aim].includes(pipe.state)) return 'done'
  if (pipe.state === 'Failed') return { failed: `has failed${pipe.reason ? `: ${pipe.reason}` : ''}` }
  return 'pending'
}
