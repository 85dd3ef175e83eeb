import { setTimeout } from 'node:timers/promises'
import { prepare } from './growth.ts'
import type { Bench } from './main.ts'

const seconds = 20

/** CPU of a control plane that gets no requests, with many resources in its store. */
export const idleBench: Bench = {
  name: 'idle: 10,000 services, 50,000 pipes, 100,000 backups',
  async run() {
    const { server } = await prepare({ services: 10_000, pipes: 50_000, backups: 100_000 })
    try {
      const cpu = async () => {
        const answer = await fetch(`${server.url}/metrics`)
        const [, value] = /^granary_process_cpu_seconds_total ([\d.e+-]+)/m.exec(await answer.text()) ?? []
        return Number(value)
      }
      // Garbage left by the start-up is no part of idling.
      await setTimeout(5_000)
      const before = await cpu()
      await setTimeout(seconds * 1000)
      const percent = (((await cpu()) - before) / seconds) * 100
      return [
        {
          what: `CPU of the control plane over ${seconds} s`,
          value: percent,
          unit: '%',
          target: { atMost: 0.5 },
        },
      ]
    } finally {
      await server.stop()
    }
  },
}
