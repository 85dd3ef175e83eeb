import { createDemoRunner, type DemoRunner, type DemoRunnerOptions } from '../demo/runner.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Part } from './part.ts'

export interface DemoPartOptions extends Omit<DemoRunnerOptions, 'run'> {
  gateway: Pick<Gateway, 'ask'>
}

export interface DemoPart extends Part {
  runner: DemoRunner
}

/** Demos are made, kept alive and removed. */
export function createDemoPart({ gateway, ...options }: DemoPartOptions): DemoPart {
  const runner = createDemoRunner({ ...options, run })
  const stopping = new AbortController()
  let working: Promise<void> = Promise.resolve()
  return {
    name: 'demo',
    runner,
    async start() {
      working = runner.run(stopping.signal)
    },
    stop: {
      async loops() {
        stopping.abort()
        await working
      },
    },
  }

  async function run(serviceId: string, statement: string, signal: AbortSignal): Promise<void> {
    const answer = await gateway.ask({
      ...{ serviceId, statement, signal, countsAsActivity: true },
      principal: { name: 'granary:demo', role: 'readWrite' },
    })
    if (answer.exception) throw answer.exception
    for await (const _ of answer.body);
  }
}
