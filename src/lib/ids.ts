import { randomBytes, randomUUID } from 'node:crypto'

/**
 * A UUID that begins with the time in milliseconds (version 7, RFC 9562): later ids sort later, so new rows go
 * to the end of an index, however many there are.
 */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  // The variant and the random bits come from a random UUID.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** 24 hex digits: 4 bytes of time, then random ones, so that later ids sort later. */
export function newHexId(nowMs: number): string {
  const time = Math.floor(nowMs / 1000)
    .toString(16)
    .padStart(8, '0')
    .slice(-8)
  return time + randomBytes(8).toString('hex')
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits, all equally likely. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < alphabet.length * 4 && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: string): boolean => uuidPattern.test(value)
