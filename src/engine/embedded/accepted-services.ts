import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/running.ts'
import type { ApplyResult, EngineRef, EngineSpec } from '../engine.ts'
import { type Accepted, forgetAccepted, saveAccepted } from './accepted.ts'
import { planRestore } from './backup/restore.ts'
import type { Layout } from './layout.ts'
import type { Trash } from './trash.ts'

/** The accepted specs of one warehouse's services, in memory. Each change is on the disk first. */
export interface AcceptedServices {
  get(serviceId: string): AcceptedService | undefined
  all(): AcceptedService[]
  load(accepted: Accepted[]): void
  apply(spec: EngineSpec): Promise<ApplyResult>
  destroy(ref: EngineRef, data: 'keep' | 'purge'): Promise<void>
  /** Removes the files of a service whose processes have all ended. */
  finishRemoval(service: AcceptedService): void
  /** Accepts no further changes. */
  close(): void
}

export interface AcceptedService extends Accepted {
  settledGeneration: number
  /** What the removal waits for, for a person. */
  removal: string
  isFinishing: boolean
}

export interface AcceptedServicesOptions {
  warehouseId: string
  layout: Layout
  trash: Trash
  clock: Clock
  log: Log
  /** Whether any process of the warehouse still runs. */
  hasProcesses(): boolean
  removeWorkDirs(serviceId: string): Promise<void>
  /** Called when a spec was accepted or a service is gone. */
  changed(ref: EngineRef): void
  step(name: string): void
}

const retryMs = 1_000

export function createAcceptedServices(options: AcceptedServicesOptions): AcceptedServices {
  const { warehouseId, layout, trash, clock, log, changed, step } = options
  const services = new Map<string, AcceptedService>()
  const end = new AbortController()
  let turn: Promise<unknown> = Promise.resolve()

  /** Runs changes of the files one after the other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }

  async function apply(spec: EngineSpec): Promise<ApplyResult> {
    const known = services.get(spec.serviceId)
    const refusal = whyRefused(spec, known)
    if (refusal) return refusal
    if (known?.spec.generation === spec.generation) return { accepted: spec.generation }
    try {
      if (isToBeRestored(spec, known)) await planRestore(layout, warehouseId, spec.restoreFrom ?? '', step)
      await saveAccepted(layout, { spec, removing: null }, step)
    } catch (error) {
      log.error({ err: error, ...refOf(spec) }, 'what was asked for cannot be saved')
      return { refused: `what was asked for cannot be saved: ${codeOf(error)}`, retryable: true }
    }
    const settledGeneration = known?.settledGeneration ?? 0
    services.set(spec.serviceId, { ...begun, spec, removing: null, damaged: false, settledGeneration })
    changed(refOf(spec))
    return { accepted: spec.generation }
  }

  function whyRefused(spec: EngineSpec, known: AcceptedService | undefined): ApplyResult | null {
    const { serviceId, generation, role } = spec
    const later = (refused: string) => ({ refused, retryable: true })
    if (end.signal.aborted) return later('the engine is being closed')
    const isInTrash = trash.held().some((ref) => ref.serviceId === serviceId)
    if (known?.removing || isInTrash) return later('the service is being removed')
    if (known && known.spec.generation > generation) {
      return { refused: `generation ${known.spec.generation} was accepted already`, retryable: false }
    }
    const others = [...services.values()].filter((other) => other.spec.serviceId !== serviceId)
    if (!known && others.some(({ removing }) => removing === 'purge')) {
      return later('the warehouse is being removed')
    }
    if (role === 'primary' && others.some((other) => other.spec.role === 'primary')) {
      return later('the warehouse has another primary service')
    }
    return null
  }

  /** A restore never replaces existing data. */
  function isToBeRestored({ role, restoreFrom }: EngineSpec, known: AcceptedService | undefined): boolean {
    if (restoreFrom === null || role !== 'primary' || known) return false
    return !existsSync(layout.data(warehouseId))
  }

  async function destroy(ref: EngineRef, data: 'keep' | 'purge'): Promise<void> {
    const known = services.get(ref.serviceId)
    if (!known) {
      // An earlier destroy may have kept the data. Other services of the warehouse may still use it.
      const isUnused = services.size === 0 && !options.hasProcesses()
      if (data === 'purge' && isUnused) await trash.put(layout.warehouse(warehouseId), ref)
      return
    }
    // A secondary service only sees the data; the primary service owns it.
    const owns = known.spec.role === 'primary' || known.damaged
    const removing = data === 'purge' && owns ? 'purge' : (known.removing ?? 'keep')
    if (removing === known.removing) return
    await saveAccepted(layout, { spec: known.spec, removing }, step)
    known.removing = removing
    changed(ref)
  }

  async function removeFiles(service: AcceptedService): Promise<void> {
    const { spec, removing } = service
    if (removing === 'purge') {
      if (isAlone()) await trash.put(layout.warehouse(warehouseId), spec)
      else return
    } else {
      await options.removeWorkDirs(spec.serviceId)
      step('forget the service')
      await forgetAccepted(layout, spec)
      // A warehouse in which nothing ever ran has no data to keep.
      const isBlank = services.size === 1 && !existsSync(layout.data(warehouseId))
      if (isBlank) await rm(layout.warehouse(warehouseId), { recursive: true })
    }
    services.delete(spec.serviceId)
  }

  const isAlone = () => services.size === 1 && !options.hasProcesses()

  return {
    get: (serviceId) => services.get(serviceId),
    all: () => [...services.values()],
    load(accepted) {
      for (const each of accepted) {
        services.set(each.spec.serviceId, { ...begun, settledGeneration: 0, ...each })
      }
    },
    apply: (spec) => inTurn(() => apply(spec)),
    destroy: (ref, data) => inTurn(() => destroy(ref, data)),
    finishRemoval(service) {
      if (service.isFinishing || end.signal.aborted) return
      if (service.removing === 'purge' && !isAlone()) {
        service.removal = 'waits until the other services of the warehouse are removed'
        return
      }
      service.isFinishing = true
      service.removal = 'its files are being removed'
      inTurn(() => removeFiles(service))
        .catch((error: unknown) => {
          log.warn({ err: error, ...refOf(service.spec) }, 'a service cannot be removed, trying again')
          service.removal = `fails: ${codeOf(error)}`
          return clock.sleep(retryMs, end.signal)
        })
        .finally(() => {
          service.isFinishing = false
          changed(refOf(service.spec))
        })
    },
    close: () => end.abort(),
  }
}

const begun = { removal: '', isFinishing: false }
const refOf = ({ serviceId, warehouseId }: EngineRef): EngineRef => ({ serviceId, warehouseId })
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown'
