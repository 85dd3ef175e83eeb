import type { FastifyReply } from 'fastify'
import type { TSchema } from '../api/schema.ts'

/**
 * Writes results as JSON by their schema. It is a boundary: a field that is not declared cannot leave the server,
 * whatever a handler returns.
 *
 * A result that is the same object as before is written once; views of unchanged records are. Nobody may change
 * a view after it was returned.
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

/** A text that was put together is kept as its pieces, and every answer that holds it would put them together again. */
const inOnePiece = (text: string): string => Buffer.from(text).toString()
