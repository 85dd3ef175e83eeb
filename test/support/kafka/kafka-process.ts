import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Kafka } from './kafka.ts'
import type { KafkaOptions } from './options.ts'

type Methods = Omit<Kafka, 'brokers' | 'stop'>

/** A cluster in its own process, which a test can kill. Its methods are those of a cluster in this process. */
export type KafkaProcess = {
  [Name in keyof Methods]: (...args: Parameters<Methods[Name]>) => Promise<Awaited<ReturnType<Methods[Name]>>>
} & {
  readonly brokers: string[]
  /** SIGKILL. Acknowledged data stays if the cluster has a directory. */
  kill(): Promise<void>
  /** Starts a killed cluster again on the same ports. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface Call {
  id: number
  method: string
  args: unknown[]
}

export interface Reply {
  id: number
  result?: unknown
  error?: string
}

export async function startKafkaProcess(options: KafkaOptions = {}): Promise<KafkaProcess> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let child: ChildProcess
  let calls = 0

  const call = (method: string, ...args: unknown[]): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>()
    const id = ++calls
    waiting.set(id, answer)
    child.send({ id, method, args } satisfies Call, (error) => {
      if (error !== null) answer.reject(error)
    })
    return answer.promise
  }
  const launch = async (ports: number[] | undefined): Promise<string[]> => {
    child = fork(script, { serialization: 'advanced', execArgv: [] })
    child.on('message', ({ id, result, error }: Reply) => {
      if (error === undefined) waiting.get(id)?.resolve(result)
      else waiting.get(id)?.reject(new Error(error))
      waiting.delete(id)
    })
    child.once('exit', () => {
      for (const { reject } of waiting.values()) reject(new Error('the Kafka process is gone'))
      waiting.clear()
    })
    const given = ports === undefined ? options : { ...options, ports }
    return (await call('start', given)) as string[]
  }
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  const brokers = await launch(options.ports)
  const own = {
    brokers,
    kill,
    async restart() {
      await launch(brokers.map((broker) => Number(broker.split(':')[1])))
    },
    stop: kill,
  }
  return new Proxy(own, {
    get: (target, name) => {
      // `await` reads `then` of the proxy, which must not become a call.
      if (name in target || typeof name === 'symbol' || name === 'then') return Reflect.get(target, name)
      return (...args: unknown[]) => call(name, ...args)
    },
  }) as KafkaProcess
}

const script = fileURLToPath(new URL('./kafka-child.ts', import.meta.url))
