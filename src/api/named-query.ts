import { namedQueryLimits } from '../domain/query/types.ts'
import { closed, dateTime, optional, Type, uuid } from './schema.ts'

const fields = {
  name: Type.String({
    ...{ minLength: 1, maxLength: namedQueryLimits.nameLength, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
    description: 'For people, on one line; need not be unique.',
  }),
  text: Type.String({
    ...{ minLength: 1, maxLength: namedQueryLimits.textLength, pattern: '^[^\\u0000]*$' },
    description: 'The statement. It is kept as it is, and not checked.',
  }),
}

const uuidOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', description })

export const NamedQueryBody = closed({
  ...fields,
  serviceId: optional(uuidOrNull('The service that it is meant for. Absent or null: none.')),
})

export const NamedQuery = closed({
  id: uuid('The query.'),
  ...fields,
  serviceId: uuidOrNull('The service that it is meant for; null: none, or one that is gone.'),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it was last changed.'),
})
