import type { FastifyReply } from 'fastify'
import type { TSchema } from '../api/schema.ts'

/**
 * Serializes results by their schema. This is a security boundary: a field that is not declared cannot leave
 * the server, whatever a handler returns.
 *
 * A result object that was serialized before is not serialized again: views of unchanged records are the same
 * object. A view must not be mutated after it was returned.
 */
export function createSerializer(schema: TSchema): (reply: FastifyReply, result: unknown) => string {
  const written = new WeakMap<object, string>()
  let write: ((result: Record<string, unknown>) => string) | undefined
  return (reply, result) => {
    if (typeof result !== 'object' || result === null) throw new Error('a result must be an object')
    const known = written.get(result)
    if (known !== undefined) return known
    write ??= reply.compileSerializationSchema(schema as Record<string, unknown>)
    const text = inOnePiece(write(result as Record<string, unknown>))
    written.set(result, text)
    return text
  }
}

/** Flattens a concatenated string, which V8 keeps as pieces and would otherwise join again for every answer. */
const inOnePiece = (text: string): string => Buffer.from(text).toString()
