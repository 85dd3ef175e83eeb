import { useEffect, useRef, useState } from 'preact/hooks'
import { toApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { columnsOfFields } from './rows.ts'
import type { Step, Wizard } from './wizard-state.ts'

export interface Discovery {
  isReading: boolean
  read(): Promise<void>
  cancel(): void
}

/** Tests the source by reading a sample; `go` opens the step where things go on: the sample, or what is wrong. */
export function useDiscovery(wizard: Wizard, serviceId: string, go: (step: Step) => void): Discovery {
  const [isReading, setReading] = useState(false)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const read = async () => {
    if (running.current) return
    const left = new AbortController()
    running.current = left
    setReading(true)
    wizard.clear()
    try {
      const { source } = wizard.build()
      const params = { serviceId }
      const schema = await call('pipes.discoverSchema', { params, body: { source }, signal: left.signal })
      wizard.schema.value = schema
      // Columns that somebody has worked on stay.
      if (wizard.columns.value.length === 0) wizard.columns.value = columnsOfFields(schema.fields)
      go('sample')
    } catch (thrown) {
      if (!left.signal.aborted) go(wizard.refuse(toApiError(thrown), 'source'))
    } finally {
      running.current = null
      setReading(false)
    }
  }
  return { isReading, read, cancel: () => running.current?.abort() }
}
