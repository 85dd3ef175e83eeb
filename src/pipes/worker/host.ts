import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { createJsonPeer, type JsonPeer, PeerError } from '../../lib/json-peer.ts'
import type { Log } from '../../lib/running.ts'
import { SourceError, type SourceKind, type SourcePipe } from '../source.ts'
import {
  type CheckParams,
  type PipeWorkerSpec,
  type PipeWorkerStatus,
  type ReadParams,
  spoolFolder,
  type TaskVerdict,
  toWire,
} from '../worker-protocol.ts'
import { createLanes } from './lanes.ts'
import { createTidying } from './tidy.ts'

export interface HostOptions {
  spec: PipeWorkerSpec
  kind: SourceKind
  isolation: string
  log: Log
}

/** Serves the control process on the connection that it opened: runs its tasks with the source, one at a time. */
export function createHost(connection: Duplex, { spec, kind, isolation, log }: HostOptions): JsonPeer {
  const { pipeId, epoch, workDir } = spec
  let task: AbortController | null = null
  let isDraining = false
  const tidy = createTidying()
  const peer = createJsonPeer(connection, { status, drain, stop, read, check, remove }, (error) => ({
    verdict: verdictOf(error, log),
  }))
  const lanes = createLanes(peer, join(workDir, spoolFolder))
  return peer

  function status(): PipeWorkerStatus {
    const cpuSeconds = tidy()
    const residentBytes = process.memoryUsage.rss()
    return { pipeId, epoch, pid: process.pid, isDraining, isolation, residentBytes, cpuSeconds }
  }

  function drain(): void {
    isDraining = true
    stop()
  }

  function stop(): void {
    task?.abort()
  }

  function read({ pipe, worker }: ReadParams): Promise<'completed' | 'stopped'> {
    let told = ''
    return runTask(async (signal) => {
      await lanes.open()
      return kind.read({
        ...{ pipe, worker, log, signal },
        lanes: lanes.lanes,
        lease: lanes.lease,
        // While nothing changes, nothing is told.
        report(progress) {
          const text = JSON.stringify(progress)
          if (text === told) return
          told = text
          peer.tell('report', progress)
        },
      })
    })
  }

  function check({ pipe, sample }: CheckParams) {
    return runTask(async (signal) => toWire(await kind.check(pipe, { sample, signal })))
  }

  function remove({ pipe }: { pipe: SourcePipe }): Promise<void> {
    return runTask((signal) => kind.remove(pipe, signal))
  }

  async function runTask<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (task) throw new Error('the worker has a task already')
    task = new AbortController()
    if (isDraining) task.abort()
    try {
      return await run(task.signal)
    } finally {
      task = null
    }
  }
}

/** A refused commit has its verdict from the control process. */
function verdictOf(error: unknown, log: Log): TaskVerdict {
  if (error instanceof SourceError) return error.verdict
  if (error instanceof PeerError) return error.detail['verdict'] === 'stop' ? 'stop' : 'retry'
  log.error({ err: error instanceof Error ? error.stack : String(error) }, 'the source failed')
  return 'bug'
}
