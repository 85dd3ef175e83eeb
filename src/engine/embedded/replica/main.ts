import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { prepareEgress } from '../../../process/confine/egress.ts'
import { loadNative } from '../../../process/native.ts'
import { awaitAssignment } from '../../../process/worker/assignment.ts'
import { createOrphanWatch, orphanLookMs } from '../../../process/worker/orphan-watch.ts'
import { createWorkerLog } from '../../../process/worker/worker-log.ts'
import { type ReplicaSpec, replicaFile } from '../protocol.ts'
import { confineReplica } from './confine/confinement.ts'
import { confineEgress } from './confine/egress.ts'
import { loadLibrary } from './engine/library.ts'
import { preloadLibraries } from './engine/preload.ts'
import { createReplica } from './replica.ts'

/**
 * The process of one replica: `node main.ts <workDir> [<directory of the addon>]`. With an IPC channel to its parent
 * it is a spare: it loads the engine, reports ready, and waits until it is assigned a working directory.
 *
 * UV_THREADPOOL_SIZE must be set in the environment, and be larger than the number of statements that run at a
 * time (see `replica.ts`): each statement holds a thread, and a running process cannot get more threads.
 */
const [, , place = '.', addon = ''] = process.argv
/** Time for the engine to close, after the time that running statements have to end. */
const closeGraceMs = 30_000
const log = createWorkerLog()

async function main(): Promise<void> {
  // Every file that this process creates is private to its user from the start.
  process.umask(0o077)
  const preparation = prepareEgress()
  const library = loadLibrary(addon)
  // A spare loads the native addon before it is assigned.
  const native = loadNative()
  if (!('missing' in native)) preloadLibraries(native)
  // The next start reuses the compile cache; a confined process cannot reach the cache, which other processes run from.
  flushCompileCache()
  const workDir = process.send ? await awaitAssignment() : place
  // biome-ignore lint/style/noProcessEnv: the engine puts schemas of formats there while it reads them.
  process.env['TMPDIR'] = join(workDir, 'tmp')
  const spec = JSON.parse(readFileSync(join(workDir, replicaFile), 'utf8')) as ReplicaSpec
  rmSync(spec.socketPath, { force: true })
  const egress = await confineEgress(spec, preparation)
  if (egress.missing !== '') log.warn({ missing: egress.missing }, 'connects of SQL are not judged')
  const isolation = confineReplica(spec, addon, log)
  const replica = await createReplica({ spec, library, isolation, egress, log, onCrash: leaveAtOnce })
  await new Promise<void>((resolve, reject) => {
    replica.server.once('error', reject).listen(spec.socketPath, resolve)
  })
  chmodSync(spec.socketPath, 0o600)
  log.info({ replicaId: spec.replicaId, epoch: spec.epoch, role: spec.role, isolation }, 'replica serves')

  let isEnding = false
  const end = (why: string): void => {
    if (isEnding) return
    isEnding = true
    log.info({ why }, 'replica ends')
    // A statement that cannot be cancelled, or an engine that hangs, must not keep this process alive for ever.
    setTimeout(() => leaveAtOnce(new Error('the engine does not close')), spec.drainMs + closeGraceMs)
    replica.end().then(
      () => {
        log.info({}, 'engine is closed')
        process.exit(0)
      },
      (error: unknown) => die(error),
    )
  }
  process.on('SIGTERM', () => end('SIGTERM'))
  const isOrphan = createOrphanWatch(spec.orphanAfterMs)
  setInterval(() => {
    if (isOrphan(replica.asked(), performance.now())) end('nobody asks')
  }, orphanLookMs)
}

/** Kills the process: on exit the engine would wait for its threads, and for statements whose FIFOs have no reader. */
function leaveAtOnce(error: Error): void {
  log.error({ err: error.stack ?? error.message }, 'replica fails')
  process.kill(process.pid, 'SIGKILL')
}

const die = (error: unknown): void => leaveAtOnce(error instanceof Error ? error : new Error(String(error)))

// Ctrl-C in a terminal reaches the whole process group, but only the parent should act on it.
process.on('SIGINT', () => undefined)
process.on('uncaughtException', die)
process.on('unhandledRejection', die)
main().catch(die)
