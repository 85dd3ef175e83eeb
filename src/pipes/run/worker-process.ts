import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../lib/clock.ts'
import { createJsonPeer, type JsonPeer, type PeerMethods } from '../../lib/json-peer.ts'
import type { Log } from '../../lib/running.ts'
import type { Slots } from '../../lib/slots.ts'
import { discover } from '../../process/supervise/discover.ts'
import type { WorkerClient, WorkerKind } from '../../process/supervise/kind.ts'
import { createSupervisor, type WorkerProcess } from '../../process/supervise/supervisor.ts'
import {
  type PipeWorkerSpec,
  type PipeWorkerStatus,
  restSeconds,
  workerFile,
  workerLogFile,
} from '../worker-protocol.ts'
import { CommitRefused } from './ends.ts'
import type { PipeLimits } from './limits.ts'

/** One process of a pipe worker. */
export interface PipeWorker {
  readonly spec: PipeWorkerSpec
  /** Rejects when the process ends before it serves. */
  readonly serving: Promise<JsonPeer>
  /** Why the process ended unasked; '' = it was asked to. */
  readonly ended: Promise<string>
  /** How long the process has served. */
  servedMs(): number
  status(): PipeWorkerStatus | null
  end(): void
  kill(failure: string): void
}

export interface LaunchParts {
  clock: Clock
  log: Log
  limits: PipeLimits
  /** How many workers start at a time. */
  starts: Slots
  environment: Readonly<Record<string, string>>
}

export const workerScript = fileURLToPath(new URL('../worker/main.ts', import.meta.url))

/** Starts a worker, which may use so much memory, and answers its calls. */
export function startWorker(
  spec: PipeWorkerSpec,
  memoryBytes: number,
  methods: PeerMethods,
  { clock, log, limits, starts, environment }: LaunchParts,
): PipeWorker {
  let peer: JsonPeer | null = null
  let isCutOff = false
  const kind = { ...describeKind(memoryBytes), environment, connect: createClient }
  const supervisor = createSupervisor({ kind, clock, log, limits: limits.watch, starts })
  const serving = Promise.withResolvers<JsonPeer>()
  const ended = Promise.withResolvers<string>()
  const settled = new AbortController()
  // Nobody may wait for it.
  serving.promise.catch(() => undefined)
  let isArmed = false
  const worker = supervisor.start(spec, changed)
  return {
    spec,
    serving: serving.promise,
    ended: ended.promise,
    servedMs: () => (worker.servedSinceMs === null ? 0 : clock.now() - worker.servedSinceMs),
    status: () => worker.status,
    end: () => worker.end(),
    kill: (failure) => worker.kill(failure),
  }

  function changed(process: WorkerProcess<PipeWorkerSpec, PipeWorkerStatus>): void {
    const { phase, failure, isReady, silentSinceMs } = process
    if (phase === 'starting') void giveUpLate(process)
    if (phase === 'serving' && peer) serving.resolve(peer)
    // A worker whose connection has ended is about to end by itself.
    const isSilent = phase === 'serving' && silentSinceMs !== null && !isReady
    if (isSilent && !isCutOff) process.kill('does not answer')
    if (phase !== 'starting') settled.abort()
    if (phase !== 'gone') return
    serving.reject(new Error(failure || 'the worker was ended'))
    ended.resolve(failure)
  }

  async function giveUpLate(process: WorkerProcess<PipeWorkerSpec, PipeWorkerStatus>): Promise<void> {
    if (isArmed) return
    isArmed = true
    await clock.sleep(limits.startDeadlineMs, settled.signal)
    if (process.phase === 'starting') process.kill('does not start')
  }

  function createClient(_: PipeWorkerSpec, timeoutMs: number): WorkerClient<PipeWorkerStatus> {
    async function open(): Promise<JsonPeer> {
      const opened = createJsonPeer(await connectTo(spec.socketPath), methods, describe)
      void opened.gone.then(() => {
        isCutOff = true
      })
      return opened
    }

    async function ask(method: string): Promise<unknown> {
      peer ??= await open()
      const late = new AbortController()
      const tooLate = clock.sleep(timeoutMs, late.signal).then(() => {
        throw new Error(`${method} was not answered in time`)
      })
      const answer = peer.call(method)
      tooLate.catch(() => undefined)
      try {
        return await Promise.race([answer, tooLate])
      } finally {
        answer.catch(() => undefined)
        late.abort()
      }
    }
    return {
      async status() {
        const status = (await ask('status')) as PipeWorkerStatus
        if (status.epoch !== spec.epoch) throw new Error('another worker answers')
        if (status.residentBytes > memoryBytes)
          worker.kill(`used ${mib(status.residentBytes)}, and replicaMemoryGb allows ${mib(memoryBytes)}`)
        return status
      },
      async drain() {
        await ask('drain')
      },
      close: () => peer?.close(),
    }
  }
}

/** Ends workers that an earlier control process left and that have not seen yet that it is gone. */
export async function endStrayWorkers(root: string, log: Log): Promise<void> {
  const kind = {
    ...describeKind(0),
    connect: () => {
      throw new Error('strays are not asked')
    },
  }
  const isOurs = (workDir: string) => workDir.startsWith(`${root}/`)
  const found = await discover({ kind, isOurs, timeoutMs: 0, log })
  await found.endStrays()
}

const mib = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

/** What a worker learns of an error besides its message: whether it is worth trying again. */
const describe = (error: unknown): Record<string, unknown> => ({
  verdict: error instanceof CommitRefused ? 'retry' : 'bug',
})

/**
 * V8 limits the bytes of buffers apart from the heap, and a worker has so many short-lived ones that garbage would be
 * collected all the time. In an idle worker the collector would look for garbage every eight seconds; it looks after ten
 * minutes, and the worker tidies itself up. A Node refuses to start with flags that it does not know, so they are those
 * of this V8 alone.
 */
const heapFlags = process.versions.v8.startsWith('13.')
  ? [
      '--external-memory-accounted-in-global-limit',
      '--gc-memory-reducer-start-delay-ms=600000',
      '--expose-gc',
    ]
  : []

/** Most of the memory is for JavaScript; buffers and the program itself need the rest. */
const heapShare = 0.75

function describeKind(memoryBytes: number): Omit<WorkerKind<PipeWorkerSpec, PipeWorkerStatus>, 'connect'> {
  const heapMib = Math.round((memoryBytes * heapShare) / 1024 ** 2)
  return {
    name: 'pipe worker',
    script: workerScript,
    specFile: workerFile,
    logFile: workerLogFile,
    command: {
      program: process.execPath,
      before: [`--max-old-space-size=${heapMib}`, ...heapFlags],
      after: [],
    },
    environment: {},
    isWell: () => true,
    isDraining: ({ isDraining }) => isDraining,
    hasRested: (before, { cpuSeconds }) => cpuSeconds - before.cpuSeconds < restSeconds,
    greet(spec, { isolation }, log) {
      if (isolation.startsWith('none'))
        log.warn({ ...namesOf(spec), isolation }, 'a pipe worker is not confined')
    },
    namesOf,
  }
}

const namesOf = ({ pipeId, index, epoch }: PipeWorkerSpec): object => ({ pipeId, worker: index, epoch })

function connectTo(socketPath: string): Promise<ReturnType<typeof connect>> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}
