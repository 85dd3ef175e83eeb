/**
 * Looks whether bytes are one JSON object as far as its brackets and strings go. The engine reads record after
 * record from one file and finds the next one by the line break, so a record with an open bracket or string would
 * take its neighbours along. What is between the brackets is left for the engine to judge.
 */
export interface JsonObjectScan {
  isObject: boolean
  hasFields: boolean
  /** Line breaks between tokens, where a space is as good. */
  hasLineBreaks: boolean
  /** Where the object's own keys begin that have an underscore as their first character. */
  underscoredKeys: number[]
}

const [quote, backslash, lineBreak, underscore] = [0x22, 0x5c, 0x0a, 0x5f]
const [openBrace, closeBrace, openBracket, closeBracket, comma] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c]
const maxDepth = 1_000
const closings = new Uint8Array(maxDepth + 1)

/** Bytes outside of strings that matter. */
const isSpecial = new Uint8Array(256)
for (const byte of [quote, backslash, lineBreak, openBrace, closeBrace, openBracket, closeBracket, comma]) {
  isSpecial[byte] = 1
}
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const notAnObject: JsonObjectScan = {
  ...{ isObject: false, hasFields: false, hasLineBreaks: false, underscoredKeys: [] },
}

export function scanJsonObject(bytes: Uint8Array): JsonObjectScan {
  const size = bytes.length
  let start = 0
  while (start < size && isSpace(bytes[start])) start++
  let end = size
  while (end > start && isSpace(bytes[end - 1])) end--
  if (bytes[start] !== openBrace || bytes[end - 1] !== closeBrace || end - start < 2) return notAnObject

  let depth = 0
  let hasFields = false
  let hasLineBreaks = start > 0 || end < size
  let expectsKey = false
  let underscoredKeys = none
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (isSpecial[byte] === 0) continue
    if (byte === quote) {
      if (depth === 1 && expectsKey) {
        hasFields = true
        expectsKey = false
        if (bytes[at + 1] === underscore) underscoredKeys = [...underscoredKeys, at + 1]
      }
      for (;;) {
        const inner = bytes[++at]
        if (inner === quote) break
        if (inner === backslash) at++
        else if (inner === lineBreak || inner === undefined) return notAnObject
      }
      if (at >= end) return notAnObject
    } else if (byte === comma) {
      if (depth === 1) expectsKey = true
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === maxDepth) return notAnObject
      closings[depth++] = byte + 2
      if (depth === 1) expectsKey = true
    } else if (byte === lineBreak) {
      hasLineBreaks = true
    } else {
      if (byte === backslash || depth === 0) return notAnObject
      depth--
      if (closings[depth] !== byte || (depth === 0 && at < end - 1)) return notAnObject
    }
  }
  return depth === 0 ? { isObject: true, hasFields, hasLineBreaks, underscoredKeys } : notAnObject
}

const none: number[] = []
