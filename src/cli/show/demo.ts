import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { explained } from './state.ts'

export type Demo = ResultOf<'demo.get'>

/** Where to look; `url` is the address of the server. */
export function demoText(form: Form, demo: Demo, url: string): string {
  const head = form.block([
    ['demo', explained(demo.state, demo.error ?? stepText(demo))],
    ...(demo.state === 'running' ? places(demo, url) : []),
  ])
  const kept = demo.kept.map(({ kind, name, reason }) => `The ${kind} ${name} stays: ${reason}.`)
  const hints = demo.state === 'running' ? ['', 'Remove it with: granary demo --remove'] : []
  if (demo.state === 'failed') hints.push('', 'Try again with: granary demo; or: granary demo --remove')
  return [head.trimEnd(), ...kept, ...hints].join('\n')
}

/** What is on its way: `pipe, 1,200,000 of 3,000,000 rows`. */
export function stepText({ step, steps }: Demo): string {
  const now = steps.find(({ name }) => name === step)
  if (!now) return ''
  if (now.total <= 1) return now.name
  const [done, total] = [now.done, now.total].map((count) => count.toLocaleString('en-US'))
  return `${now.name}, ${done} of ${total} ${now.unit}`
}

const places = ({ serviceId, dashboardId }: Demo, url: string): [string, string | string[]][] => [
  ['dashboard', `${url}/dashboards/${dashboardId}`],
  ['service', `${url}/services/${serviceId}`],
  [
    'ask',
    [
      "granary query demo 'SELECT service, count(), quantile(0.95)(duration_ms) FROM shop.requests GROUP BY service'",
      `granary query demo "SELECT message, count() FROM shop.requests WHERE level = 'error' GROUP BY message ORDER BY 2 DESC LIMIT 5"`,
    ],
  ],
]
