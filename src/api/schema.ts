import { type Static, type TSchema, Type } from 'typebox'

/** Building blocks of the contract. Objects are closed: an unknown field is an error, never dropped. */
export const closed = <T extends Record<string, TSchema>>(
  properties: T,
  options: { description?: string } = {},
) => Type.Object(properties, { ...options, additionalProperties: false })

export const uuid = (description: string) => Type.String({ format: 'uuid', description })
export const dateTime = (description: string) => Type.String({ format: 'date-time', description })
export const text = (description: string, options: { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ description, ...options })
export const flag = (description: string) => Type.Boolean({ description })
export const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description })
export const optional = Type.Optional
export const list = <T extends TSchema>(
  items: T,
  description: string,
  options: { minItems?: number; maxItems?: number } = {},
) => Type.Array(items, { description, ...options })

/** Any names, each with a value of the schema. */
export const record = <T extends TSchema>(
  values: T,
  description: string,
  options: { maxProperties?: number } = {},
) =>
  Type.Unsafe<Record<string, Static<T>>>({
    ...{ type: 'object', description, additionalProperties: values },
    ...options,
  })

export type { Static, TSchema }
export { Type }
