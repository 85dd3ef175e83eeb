import { makeDirectory, readFiles, removeDurably, writeDurably } from '../../lib/durable-file.ts'
import type { Log } from '../../lib/running.ts'
import type { EngineRef, EngineSpec } from '../engine.ts'
import type { Layout } from './layout.ts'

/**
 * The spec that was accepted for a service. It is on the disk before `apply` or `destroy` answers, and it is
 * the only state of the driver that must survive: everything else is discovered again.
 */
export interface Accepted {
  spec: EngineSpec
  /** The service is being destroyed, with or without its data; null = it is not. */
  removing: 'keep' | 'purge' | null
  /** The file could not be read: nothing runs until the service is applied again. */
  damaged: boolean
}

export async function saveAccepted(
  layout: Layout,
  { spec, removing }: Pick<Accepted, 'spec' | 'removing'>,
  step: (name: string) => void,
): Promise<void> {
  await makeDirectory(layout.services(spec.warehouseId))
  await writeDurably(layout.specFile(spec), `${JSON.stringify({ spec, removing })}\n`, step)
}

export async function readAccepted(layout: Layout, warehouseId: string, log: Log): Promise<Accepted[]> {
  const files = await readFiles(layout.services(warehouseId))
  return [...files]
    .filter(([name]) => name.endsWith('.json'))
    .map(([name, text]) => {
      const ref = { serviceId: name.slice(0, -'.json'.length), warehouseId }
      const accepted = parse(text, ref)
      if (accepted.damaged) log.error(ref, 'what was accepted for a service cannot be read')
      return accepted
    })
}

export function forgetAccepted(layout: Layout, ref: EngineRef): Promise<void> {
  return removeDurably(layout.specFile(ref))
}

/** Defaults for fields that files of earlier versions lack. */
const writing = { durableInserts: true, restoreFrom: null }

function parse(text: string, ref: EngineRef): Accepted {
  try {
    const { spec, removing } = JSON.parse(text) as Accepted
    const isWhole = spec.serviceId === ref.serviceId && spec.warehouseId === ref.warehouseId
    if (isWhole && Number.isSafeInteger(spec.generation) && Number.isSafeInteger(spec.replicas)) {
      return { spec: { ...writing, ...spec }, removing: removing ?? null, damaged: false }
    }
  } catch {}
  const nothing = { generation: 0, power: 'off', replicas: 0, memoryBytesPerReplica: 0 } as const
  const spec: EngineSpec = { ...ref, ...nothing, role: 'secondary', ...writing }
  return { spec, removing: null, damaged: true }
}
