import { closeSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { readAddress } from '../../lib/egress/address.ts'
import type { EgressList } from '../../lib/egress/list.ts'
import { findMachine, installEgressFilter } from './egress-filter.ts'
import type { EgressThreadData } from './egress-thread.ts'

/**
 * Where this process may connect to, decided for each connect after names are resolved and whatever the protocol:
 * a filter of system calls asks a thread of this process. If that thread fails, every connect does.
 */
export interface EgressGuard {
  /** Lets exactly these addresses through as well, until the returned function is called. */
  grant(endpoints: readonly Endpoint[]): () => void
  /** How often something was refused so far. */
  count(): number
  /** What was refused since the count was that; the oldest are forgotten. */
  refusedSince(count: number): Endpoint[]
}

export interface Endpoint {
  /** Empty = it was no address of the internet. */
  address: readonly number[]
  port: number
}

/** From the main thread to the supervisor. */
export interface EgressOrder {
  granted?: readonly Endpoint[]
  end?: true
}

export interface EgressPreparation {
  /** From when it resolves, no thread of this process connects to anything that the list does not hold. */
  confine(list: EgressList): Promise<EgressGuard | { missing: string }>
  /** For a process that is not to be confined. */
  drop(): void
}

/** Refusals that are remembered for statements which fail by them. */
const remembered = 256

/** Starts the supervisor, which takes a moment: meanwhile other things can be done. */
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
      // Without a listener the kernel fails what the filter asks about.
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

  /** A statement may fail before the message about its refusal has come by itself. */
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

/** The supervisor sits in a system call, and Node waits for its end: a connect of nothing to nowhere. */
function wake(): void {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  koffi.load(null).func('int connect(int, void*, unsigned int)')(-1, Buffer.alloc(16), 16)
}

/** Where the C library asks for names. */
function readNameservers(): number[][] {
  try {
    const lines = readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^\s*nameserver\s+(\S+)/gm)
    const found = [...lines].map(([, text = '']) => readAddress(text.replace(/%.*$/, '')))
    return found.filter((address) => address !== null)
  } catch {
    // Then it asks this machine.
    return [[127, 0, 0, 1]]
  }
}
