import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { TestServer } from '../support/server.ts'
import { replicasOf } from '../support/warehouse.ts'

/** Kills random processes of a Granary with SIGKILL, at random moments. */
export interface Killer {
  /** Waits a random time and kills a process; a killed server is started again. Resolves with what was killed. */
  strike(): Promise<string>
  summary(): string
}

const victims = [
  'the writer',
  'a reader',
  'every replica',
  'the server',
  'the server and every replica',
] as const

export function createKiller({ server, primaryId }: { server: TestServer; primaryId: string }): Killer {
  const counts = new Map<string, number>()
  const writer = `/${primaryId}-0.`

  async function killReplicas(isMeant: (workDir: string) => boolean): Promise<void> {
    for (const { pid, workDir } of await replicasOf(server.dataDir)) {
      if (!isMeant(workDir)) continue
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself a moment ago.
      }
    }
  }

  return {
    async strike() {
      await setTimeout(randomInt(100, 4_000))
      const victim = victims[randomInt(victims.length)] ?? 'the server'
      counts.set(victim, (counts.get(victim) ?? 0) + 1)
      if (victim === 'the writer') await killReplicas((workDir) => workDir.includes(writer))
      if (victim === 'a reader') await killReplicas((workDir) => !workDir.includes(writer))
      if (victim.startsWith('the server')) await server.kill()
      if (victim.endsWith('every replica')) await killReplicas(() => true)
      if (victim.startsWith('the server')) await server.restart()
      return victim
    },
    summary: () => [...counts].map(([victim, count]) => `${victim} killed ${count} times`).join(', '),
  }
}
