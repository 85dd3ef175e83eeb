import { closeSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { readAddress } from '../../lib/egress/address.ts'
import type { EgressList } from '../../lib/egress/list.ts'
import { findMachine, installEgressFilter } from './egress-filter.ts'
import type { EgressThreadData } from './egress-thread.ts'

/**
 * Decides where this process may connect to: for each connect, after name resolution and for every protocol,
 * a seccomp filter asks a thread of this process. If that thread fails, every connect fails.
 */
export interface EgressGuard {
  /** Also allows exactly these addresses, until the returned function is called. */
  grant(endpoints: readonly Endpoint[]): () => void
  /** The number of refusals so far. */
  count(): number
  /** The refusals since `count()` had this value; the oldest are forgotten. */
  refusedSince(count: number): Endpoint[]
}

export interface Endpoint {
  /** Empty = the refused address was not an internet address. */
  address: readonly number[]
  port: number
}

/** A message from the main thread to the supervisor. */
export interface EgressOrder {
  granted?: readonly Endpoint[]
  end?: true
}

export interface EgressPreparation {
  /** Once it resolves, no thread of this process can connect to an address outside the list. */
  confine(list: EgressList): Promise<EgressGuard | { missing: string }>
  /** Ends the supervisor of a process that stays unconfined. */
  drop(): void
}

/** How many refusals are kept, to explain why statements failed. */
const remembered = 256

/** Starts the supervisor thread early, because its start takes a moment. */
export function prepareEgress(): EgressPreparation {
  const machine = findMachine()
  if ('missing' in machine) return { confine: async () => machine, drop: () => undefined }
  const { port1: port, port2 } = new MessageChannel()
  const workerData: EgressThreadData = { port: port2, machine, nameservers: readNameservers() }
  const worker = new Worker(new URL('./egress-thread.ts', import.meta.url), {
    ...{ workerData, transferList: [port2], execArgv: [], trackUnmanagedFds: false },
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 },
  })
  const ready = new Promise<string>((resolve) => {
    worker.once('message', resolve)
    worker.on('error', (error) => resolve(`the supervisor of connects failed: ${error.message}`))
  })
  worker.unref()
  port.unref()
  const drop = () => void worker.terminate()
  return {
    drop,
    async confine(list) {
      worker.ref()
      const problem = await ready
      const filter = problem === '' ? installEgressFilter(machine) : { missing: problem }
      if ('missing' in filter) {
        drop()
        return filter
      }
      worker.postMessage({ list, listener: filter.listener })
      worker.unref()
      // Without a listener, the kernel fails every call that the filter would hand over.
      worker.once('exit', () => closeSync(filter.listener))
      process.once('exit', () => {
        port.postMessage({ end: true } satisfies EgressOrder)
        wake()
      })
      return createGuard(port)
    },
  }
}

function createGuard(port: MessagePort): EgressGuard {
  let refusals: Endpoint[] = []
  let count = 0
  let granted: (readonly Endpoint[])[] = []
  const tell = () => port.postMessage({ granted: granted.flat() } satisfies EgressOrder)

  function note(refusal: Endpoint): void {
    count += 1
    refusals.push(refusal)
    if (refusals.length > 2 * remembered) refusals = refusals.slice(-remembered)
  }

  /** A statement may fail before the event loop has delivered the message about its refusal. */
  function catchUp(): void {
    for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) note(got.message)
  }

  port.on('message', note)
  port.unref()
  return {
    grant(endpoints) {
      granted.push(endpoints)
      tell()
      return () => {
        granted = granted.filter((each) => each !== endpoints)
        tell()
      }
    },
    count() {
      catchUp()
      return count
    },
    refusedSince(before) {
      catchUp()
      return count === before ? [] : refusals.slice(before - count)
    },
  }
}

/** Node waits for the supervisor, which blocks in a system call: a connect on an invalid socket wakes it. */
function wake(): void {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  koffi.load(null).func('int connect(int, void*, unsigned int)')(-1, Buffer.alloc(16), 16)
}

/** The name servers of the C library. */
function readNameservers(): number[][] {
  try {
    const lines = readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^\s*nameserver\s+(\S+)/gm)
    const found = [...lines].map(([, text = '']) => readAddress(text.replace(/%.*$/, '')))
    return found.filter((address) => address !== null)
  } catch {
    // Without the file, the C library asks this machine.
    return [[127, 0, 0, 1]]
  }
}
