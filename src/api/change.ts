import { changedResources } from '../domain/change/types.ts'
import { closed, oneOf, Type, text } from './schema.ts'

export const ResourceChange = closed({
  resource: oneOf(changedResources, 'The kind of resource.'),
  id: text('The resource.'),
  serviceId: Type.Union([Type.String(), Type.Null()], {
    description: 'The service that it belongs to, or is; null for none.',
  }),
  version: Type.Integer({
    description:
      'The version of a dashboard, or how often the intent of a service, pipe or backup changed; 0 for others. A state changes without it.',
  }),
})
