import type { sourceOperations } from '../api/source-operations.ts'
import {
  createSource,
  deleteSource,
  getSource,
  listSources,
  proposals,
  replaceSource,
} from '../control/sources.ts'
import type { Handlers } from './handler.ts'

/** Each operation on sources: one call of the control layer. */
export const sourceHandlers: Handlers<keyof typeof sourceOperations> = {
  'sources.list': (control, { caller }) => listSources(control, caller),
  'sources.create': (control, { caller, body }) => createSource(control, caller, body),
  'sources.proposals': (control, { caller, query }) => proposals(control, caller, query.serviceId),
  'sources.get': (control, { caller, params }) => getSource(control, caller, params.sourceId),
  'sources.replace': (control, { caller, params, body }) =>
    replaceSource(control, caller, params.sourceId, body),
  'sources.delete': (control, { caller, params }) => deleteSource(control, caller, params.sourceId),
}
