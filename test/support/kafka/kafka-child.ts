// The process of a cluster: starts it with the options of the first call, then serves the parent's calls.
import { type Kafka, startKafka } from './kafka.ts'
import type { Call, Reply } from './kafka-process.ts'
import type { KafkaOptions } from './options.ts'

let kafka: Kafka | undefined

async function run({ method, args }: Call): Promise<unknown> {
  if (method === 'start') {
    kafka = await startKafka(args[0] as KafkaOptions)
    return kafka.brokers
  }
  const methods = kafka as unknown as Record<string, (...given: unknown[]) => unknown>
  return methods[method]?.(...args)
}

process.on('message', (call: Call) => {
  const reply = (answer: Omit<Reply, 'id'>): void => {
    process.send?.({ id: call.id, ...answer })
  }
  run(call).then(
    (result) => reply({ result }),
    (error: unknown) => reply({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
