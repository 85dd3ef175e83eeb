import { randomFillSync } from 'node:crypto'

/**
 * The block that ClickHouse writes into a body that it cannot finish. The tag, which is new for each answer and part of
 * its HTTP head, proves that the text does not come from the data.
 */
export function exceptionBlock(text: string, tag: string): string {
  let message = text
  while (Buffer.byteLength(message) > maxExceptionBytes) message = message.slice(0, message.length * 0.9)
  if (!message.endsWith('\n')) message += '\n'
  return `\r\n__exception__\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n__exception__\r\n`
}

/** The exception for formats with a JSON object in each line. */
export const exceptionLine = (text: string): string => `${JSON.stringify({ exception: text.trimEnd() })}\n`

export function exceptionTag(): string {
  if (randomAt >= random.length) {
    randomFillSync(random)
    randomAt = 0
  }
  let tag = ''
  for (const end = randomAt + 16; randomAt < end; randomAt++) {
    tag += letters[(random[randomAt] ?? 0) % letters.length]
  }
  return tag
}

const maxExceptionBytes = 16 * 1024
const letters = 'abcdefghijklmnopqrstuvwxyz'
/** Random bytes are fetched in bulk, which costs little more than one byte. */
const random = new Uint8Array(4096)
let randomAt = random.length
