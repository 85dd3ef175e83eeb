import { Option } from 'commander'
import type { CommandDefinition } from '../command.ts'
import { timeoutOption } from '../options.ts'
import type { Session } from '../session.ts'
import { type Demo, demoText, stepText } from '../show/demo.ts'
import { type Watched, watch } from '../wait.ts'

interface DemoFlags {
  remove?: true
  status?: true
  wait: boolean
  /** Milliseconds. */
  timeout: number
}

export const demo: CommandDefinition = {
  name: 'demo',
  summary: 'Make a demo: a service with live data, a pipe, a dashboard and an alert',
  details:
    'It shows how far it is, and where to look. It goes on by itself when this command ends. What you change in it stays when it is removed.',
  options: [
    new Option('--remove', 'remove everything that the demo made').conflicts('status'),
    new Option('--status', 'only show how it is'),
    new Option('--wait', 'wait until it is done; the default').default(true),
    new Option('--no-wait', 'only ask for it'),
    timeoutOption,
  ],
  examples: ['granary demo', 'granary demo --status', 'granary demo --remove'],
  async run(session, _operands, { remove, status, wait, timeout }: DemoFlags) {
    const { client, signal, output } = session
    const first = await client.call(status ? 'demo.get' : remove ? 'demo.remove' : 'demo.start', { signal })
    const aim = remove ? 'absent' : 'running'
    const isWatched = wait && !status && first.state !== aim
    const { last, error }: Watched<Demo> = isWatched
      ? await follow(session, first, aim, timeout)
      : { last: first }
    const shown = last ?? first
    output.result(shown, (form) => demoText(form, shown, client.url))
    if (error) throw error
  },
}

function follow(
  session: Session,
  first: Demo,
  aim: 'running' | 'absent',
  timeoutMs: number,
): Promise<Watched<Demo>> {
  const { client, signal } = session
  return watch(session, {
    what: 'demo',
    first,
    timeoutMs,
    describe: ({ state, step }) => (state === 'starting' && step ? `${state}, ${step}` : state),
    detail(now) {
      const step = now.steps.find(({ name }) => name === now.step)
      if (!step || step.total <= 1) return null
      return { percent: (100 * step.done) / step.total, text: `${now.state}, ${stepText(now)}` }
    },
    read: () => client.call('demo.get', { signal }),
    judge(now) {
      if (now?.state === aim) return 'done'
      if (now?.state === 'failed') return { failed: `failed at the step ${now.step}: ${now.error}` }
      return 'pending'
    },
  })
}
