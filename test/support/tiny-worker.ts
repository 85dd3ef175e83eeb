// A worker that does nothing, the second kind of worker in the supervision tests: it shows the minimum that a
// worker process must do (find its orders, answer on its socket, end when asked or orphaned).
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Policy } from '../../src/process/confine/confine.ts'
import { machineFiles } from '../../src/process/confine/machine-files.ts'
import type { WorkerKind, WorkerSpec } from '../../src/process/supervise/kind.ts'
import { createSocketClient } from '../../src/process/supervise/socket-client.ts'
import { awaitAssignment } from '../../src/process/worker/assignment.ts'
import { confineWorker } from '../../src/process/worker/confine-worker.ts'
import { createOrphanWatch, orphanLookMs } from '../../src/process/worker/orphan-watch.ts'
import { createWorkerLog } from '../../src/process/worker/worker-log.ts'

export interface TinySpec extends WorkerSpec {
  name: string
  orphanAfterMs: number
}

export interface TinyStatus {
  name: string
  pid: number
  isDraining: boolean
  problem: string
  environment: string[]
  wasSpare: boolean
  isolation: string
}

export const tinyKind: WorkerKind<TinySpec, TinyStatus> = {
  name: 'tiny worker',
  script: fileURLToPath(import.meta.url),
  specFile: 'tiny.json',
  logFile: 'tiny.log',
  command: { program: process.execPath, before: ['--max-old-space-size=64'], after: [] },
  environment: { TINY: '1' },
  connect({ socketPath, name }, timeoutMs) {
    const { ask, close } = createSocketClient(socketPath, timeoutMs)
    return {
      async status() {
        const status = JSON.parse(await ask('GET', '/status')) as TinyStatus
        if (status.name !== name) throw new Error(`${status.name} answers instead of ${name}`)
        return status
      },
      async drain() {
        await ask('POST', '/drain')
      },
      close,
    }
  },
  isWell: ({ problem }) => problem === '',
  isDraining: ({ isDraining }) => isDraining,
  namesOf: ({ name }) => ({ name }),
}

const log = createWorkerLog()
const sources = fileURLToPath(new URL('../..', import.meta.url))

const policyOf = ({ workDir, socketPath }: TinySpec): Policy => ({
  read: [process.execPath, sources, ...machineFiles],
  write: [workDir],
  devices: ['/dev/null'],
  sockets: [dirname(socketPath)],
})

async function run(workDir: string, wasSpare: boolean): Promise<void> {
  const spec = JSON.parse(readFileSync(join(workDir, tinyKind.specFile), 'utf8')) as TinySpec
  const { name, socketPath, orphanAfterMs } = spec
  let [asked, isDraining, problem] = [0, false, '']
  rmSync(socketPath, { force: true })
  const isolation = confineWorker(policyOf(spec), 'preferred', log)
  const server = createServer((request, response) => {
    const { method, url } = request
    if (`${method} ${url}` === 'GET /status') asked += 1
    if (url === '/drain') isDraining = true
    if (url === '/sicken') problem = 'has a cold'
    if (url === '/heal') problem = ''
    if (url === '/fail') {
      log.error({ err: 'Error: has broken a wheel, password=hunter2' }, 'it fails')
      process.exit(3)
    }
    const environment = Object.keys(process.env).sort()
    const status: TinyStatus = {
      name,
      pid: process.pid,
      isDraining,
      problem,
      environment,
      wasSpare,
      isolation,
    }
    response.end(JSON.stringify(status))
  })
  server.listen(socketPath)
  process.on('SIGTERM', () => process.exit(isDraining ? 0 : 4))
  const isOrphan = createOrphanWatch(orphanAfterMs)
  setInterval(() => isOrphan(asked, performance.now()) && process.exit(0), orphanLookMs)
}

if (import.meta.main) {
  if (process.send) await run(await awaitAssignment(), true)
  else await run(process.argv[2] ?? '', false)
}
