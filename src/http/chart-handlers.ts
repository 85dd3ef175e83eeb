import type { chartOperations } from '../api/chart-operations.ts'
import { askSeries, askTile, checkWhere, listVariableValues } from '../control/charts.ts'
import type { Issue } from '../domain/issue.ts'
import type { Asking, TileAnswer } from '../queries/question.ts'
import type { Handlers } from './handler.ts'

interface AskingCall {
  readonly signal: AbortSignal
  progress?(value: object): void
  meta(value: object): void
}

/** Each question about data: one call of the control layer. */
export const chartHandlers: Handlers<keyof typeof chartOperations> = {
  'charts.series': async (control, call) =>
    answered(call, await askSeries(control, call.caller, call.body, asking(call))),
  'charts.where': async (control, { caller, body }) => {
    const { errors, ...judged } = await checkWhere(control, caller, body)
    return { ...judged, errors: errors.map(writable) }
  },
  'dashboards.queryTile': async (control, call) =>
    answered(call, await askTile(control, call.caller, call.params, call.body, asking(call))),
  'dashboards.listVariableValues': (control, call) =>
    listVariableValues(control, call.caller, call.params, call.body, asking(call)),
}

const writable = ({ path, suggestions, ...issue }: Issue) => ({
  ...{ ...issue, path: [...path] },
  ...(suggestions && { suggestions: [...suggestions] }),
})

const asking = (call: AskingCall): Asking => ({ signal: call.signal, onProgress: call.progress })

function answered(call: AskingCall, { data, meta }: TileAnswer): TileAnswer['data'] {
  call.meta(meta)
  return data
}
