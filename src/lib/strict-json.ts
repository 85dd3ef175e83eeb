/**
 * JSON as in RFC 8259, without what different parsers read differently: repeated keys, text that is not UTF-8,
 * characters that no store can keep, numbers that no double can hold.
 */
export function parseStrictJson(
  body: Uint8Array,
  { maxDepth = 64 }: { maxDepth?: number } = {},
): { value: unknown } | JsonProblem {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) {
    return { code: 'syntax', problem: 'starts with a byte order mark', path: [], position: 0 }
  }
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return { code: 'syntax', problem: 'is not valid UTF-8', path: [] }
  }
  const problem = scan(text, maxDepth)
  return problem ?? { value: JSON.parse(text) as unknown }
}

export interface JsonProblem {
  code: 'syntax' | 'duplicate' | 'invalid_value' | 'out_of_range'
  /** A sentence for a person. Never contains text of the body, which may be a secret. */
  problem: string
  /** Empty for syntax errors, where the parsed keys cannot be trusted. */
  path: (string | number)[]
  /** UTF-16 units from the start of the text. */
  position?: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** One open object or array. */
interface Frame {
  closer: number
  /** Position of the current item; counts in arrays only. */
  index: number
  /** Key of the current member; null in arrays, and in objects until the key has been checked. */
  key: string | null
  /** The first keys, as many as `count`. Most objects are small, and a Set for each is slow. */
  few: string[]
  count: number
  /** All keys, once there are more than a few. */
  many: Set<string> | undefined
}

const fewKeys = 8
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Walks the text once, without recursion, and returns the first problem. */
function scan(text: string, maxDepth: number): JsonProblem | undefined {
  // One frame per level, reused by each value on that level; frames from `depth` on are not open.
  const frames: Frame[] = []
  let depth = 0
  let frame: Frame | undefined
  let problem: JsonProblem | undefined

  // Readers take the position where something starts and return the position after it, or -1 after `refuse`.
  const refuse = (code: JsonProblem['code'], words: string, position: number): -1 => {
    const path = code === 'syntax' ? [] : pathOf(frames.slice(0, depth))
    problem = { code, problem: `${words} (${place(text, position)})`, path, position }
    return -1
  }
  const unexpected = (position: number, wanted: string): -1 =>
    refuse(
      'syntax',
      `${position < text.length ? 'has an error' : 'ends too early'}: expected ${wanted}`,
      position,
    )

  const readString = (start: number): number => {
    let at = start + 1
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === quote) return at + 1
      if (code === backslash) {
        at = readEscape(at)
        if (at < 0) return at
      } else if (code >= 0x20) at++
      else if (at < text.length) return refuse('syntax', 'has a bare control character in a string', at)
      else return unexpected(at, 'the end of a string')
    }
  }

  const readEscape = (start: number): number => {
    if (text.charCodeAt(start + 1) !== 0x75) {
      return simpleEscapes.has(text.charCodeAt(start + 1))
        ? start + 2
        : unexpected(start + 1, 'a valid escape')
    }
    const unit = hexUnit(text, start + 2)
    if (unit < 0) return unexpected(start + 2, 'four hex digits')
    if (unit === 0) return refuse('invalid_value', 'must not hold a NUL character', start)
    if (unit < 0xd800 || unit > 0xdfff) return start + 6
    // Text decoded from UTF-8 has no lone surrogates, so one can only come from an escape.
    const isPair = unit < 0xdc00 && text.startsWith('\\u', start + 6)
    const low = isPair ? hexUnit(text, start + 8) : -1
    if (low >= 0xdc00 && low <= 0xdfff) return start + 12
    return refuse('invalid_value', 'must not hold half of a surrogate pair', start)
  }

  const readKey = (start: number, object: Frame): number => {
    object.key = null
    if (text.charCodeAt(start) !== quote) return unexpected(start, 'a key in double quotes')
    const end = readString(start)
    if (end < 0) return end
    const raw = text.slice(start + 1, end - 1)
    // Two spellings of one key, with and without escapes, are the same key.
    const key = raw.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : raw
    object.key = key
    if (key === '__proto__') return refuse('invalid_value', 'is not allowed as a key', start)
    if (!addKey(object, key)) return refuse('duplicate', 'is given twice', start)
    const at = skipSpace(text, end)
    return text.charCodeAt(at) === colon ? skipSpace(text, at + 1) : unexpected(at, 'a colon')
  }

  const readScalar = (start: number): number => {
    const code = text.charCodeAt(start)
    if (code === quote) return readString(start)
    const word = words.get(code)
    if (word !== undefined)
      return text.startsWith(word, start) ? start + word.length : unexpected(start, 'a value')
    const plainEnd = shortIntegerEnd(text, start)
    if (plainEnd > 0) return plainEnd
    number.lastIndex = start
    if (!number.test(text)) return unexpected(start, 'a value')
    const end = number.lastIndex
    if (Number.isFinite(Number(text.slice(start, end)))) return end
    return refuse('out_of_range', 'is too large for a number', start)
  }

  let at = skipSpace(text, 0)
  while (at >= 0) {
    const code = text.charCodeAt(at)
    if (code === openBrace || code === openBracket) {
      if (depth >= maxDepth) {
        refuse('out_of_range', `is nested deeper than ${maxDepth} levels`, at)
        break
      }
      const closer = code === openBrace ? closeBrace : closeBracket
      at = skipSpace(text, at + 1)
      if (text.charCodeAt(at) !== closer) {
        frame = openFrame(frames, depth++, closer)
        if (code === openBrace) at = readKey(at, frame)
        continue
      }
      at = skipSpace(text, at + 1)
    } else {
      at = readScalar(at)
      if (at < 0) break
      at = skipSpace(text, at)
    }
    // A value has ended: close the objects and arrays that end with it, then go on to the next value.
    while (frame !== undefined && text.charCodeAt(at) === frame.closer) {
      frame = frames[--depth - 1]
      at = skipSpace(text, at + 1)
    }
    if (frame === undefined) {
      if (at < text.length) refuse('syntax', 'has text after its end', at)
      break
    }
    if (text.charCodeAt(at) !== comma) {
      unexpected(at, frame.closer === closeBrace ? 'a comma or }' : 'a comma or ]')
      break
    }
    at = skipSpace(text, at + 1)
    frame.index++
    if (frame.closer === closeBrace) at = readKey(at, frame)
  }
  return problem
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const words = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]))
const simpleEscapes = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)))

function openFrame(frames: Frame[], depth: number, closer: number): Frame {
  let frame = frames[depth]
  if (frame === undefined) {
    frame = { closer, index: 0, key: null, few: [], count: 0, many: undefined }
    frames.push(frame)
  }
  frame.closer = closer
  frame.index = 0
  frame.key = null
  frame.count = 0
  frame.many = undefined
  return frame
}

/** False when the object already has the key. */
function addKey(object: Frame, key: string): boolean {
  const { few, many, count } = object
  if (many !== undefined) return many.size < many.add(key).size
  for (let at = 0; at < count; at++) if (few[at] === key) return false
  few[count] = key
  object.count++
  if (object.count === fewKeys) object.many = new Set(few)
  return true
}

function skipSpace(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at++
  }
}

/** The end of an integer like 0 or 42, which is what most numbers are; 0 when the full check is needed. */
function shortIntegerEnd(text: string, start: number): number {
  let at = start
  let code = text.charCodeAt(at)
  if (code === 0x30) code = text.charCodeAt(++at)
  else while (isDigit(code)) code = text.charCodeAt(++at)
  // The next character must be able to end a number; a space is left to the full check.
  const isEnd = code === comma || code === closeBracket || code === closeBrace
  return isEnd && at > start && at - start < 16 ? at : 0
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** The UTF-16 unit of four hex digits, or -1. */
function hexUnit(text: string, start: number): number {
  let unit = 0
  for (let at = start; at < start + 4; at++) {
    const code = text.charCodeAt(at)
    const letter = code | 0x20
    if (isDigit(code)) unit = unit * 16 + code - 0x30
    else if (letter >= 0x61 && letter <= 0x66) unit = unit * 16 + letter - 0x57
    else return -1
  }
  return unit
}

function pathOf(frames: readonly Frame[]): (string | number)[] {
  const path: (string | number)[] = []
  for (const { closer, index, key } of frames) {
    if (closer === closeBracket) path.push(index)
    else if (key !== null) path.push(key)
  }
  return path
}

function place(text: string, position: number): string {
  let line = 1
  let lineStart = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', lineStart)) {
    line++
    lineStart = at + 1
  }
  return `line ${line}, column ${position - lineStart + 1}`
}
