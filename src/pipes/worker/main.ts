import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createServer } from 'node:net'
import { setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Policy } from '../../process/confine/confine.ts'
import { prepareEgress } from '../../process/confine/egress.ts'
import { machineFiles } from '../../process/confine/machine-files.ts'
import { confineWorker } from '../../process/worker/confine-worker.ts'
import { createWorkerLog } from '../../process/worker/worker-log.ts'
import { type PipeWorkerSpec, workerFile } from '../worker-protocol.ts'
import { createHost } from './host.ts'
import { loadKind } from './kinds.ts'

/**
 * The process of one pipe worker: `node main.ts <workDir>`. It reads its source and writes spools, and nothing else:
 * journal and inserts are in the control process. It is confined before it connects anywhere, and it ends with the
 * connection of the control process that started it.
 */
const [, , workDir = '.'] = process.argv
/** How long a worker waits for its control process to connect. */
const lonelyMs = 60_000
const log = createWorkerLog()

async function main(): Promise<void> {
  // Every file that this process creates is private to its user from the start.
  process.umask(0o077)
  const preparation = prepareEgress()
  const spec = JSON.parse(readFileSync(join(workDir, workerFile), 'utf8')) as PipeWorkerSpec
  if (spec.nice > 0) setPriority(spec.nice)
  const kind = await loadKind(spec)
  // The next start reuses the compile cache, which a confined process cannot write.
  flushCompileCache()
  rmSync(spec.socketPath, { force: true })
  const isolation = await confine(spec, preparation)
  const lonely = setTimeout(() => leave('no control process connects'), lonelyMs)
  const server = createServer((connection) => {
    clearTimeout(lonely)
    // One control process, one connection.
    server.close()
    const host = createHost(connection, { spec, kind, isolation, log })
    void host.gone.then(() => leave('the control process is gone'))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(spec.socketPath, resolve)
  })
  chmodSync(spec.socketPath, 0o600)
}

async function confine(spec: PipeWorkerSpec, preparation: ReturnType<typeof prepareEgress>): Promise<string> {
  const { isolation, egress } = spec
  if (isolation === 'off') {
    preparation.drop()
    return 'off'
  }
  const guard = await preparation.confine(egress)
  if ('missing' in guard) {
    if (isolation === 'required') throw new Error(`isolation is required, but there is ${guard.missing}`)
    log.warn({ missing: guard.missing }, 'connects of the source are not judged')
  }
  return confineWorker(policyOf(spec), isolation, log)
}

const sources = fileURLToPath(new URL('../..', import.meta.url))
const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url))

const policyOf = ({ workDir: own, socketPath, folders }: PipeWorkerSpec): Policy => ({
  read: [process.execPath, sources, packages, ...folders, ...machineFiles],
  write: [own],
  devices: ['/dev/null'],
  sockets: [dirname(socketPath)],
})

function leave(why: string): void {
  log.info({ why }, 'the worker ends')
  process.exit(0)
}

function die(error: unknown): void {
  log.error({ err: error instanceof Error ? error.stack : String(error) }, 'the worker fails')
  process.exit(1)
}

process.on('SIGTERM', () => leave('SIGTERM'))
// Ctrl-C in a terminal reaches the whole process group, but only the parent should act on it.
process.on('SIGINT', () => undefined)
process.on('uncaughtException', die)
process.on('unhandledRejection', die)
main().catch(die)
