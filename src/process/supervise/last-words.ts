import { open } from 'node:fs/promises'

const tailBytes = 16 * 1024
const maxLines = 3
const maxCharacters = 600
const telling = /error|exception|fatal|cannot|can't|failed|refused|denied|abort|terminate|no space|not found/i

/** Why a process ended, as far as its log tells: the last relevant lines, without possible secrets. */
export async function readLastWords(logFile: string): Promise<string> {
  return pickLastWords(await readTail(logFile))
}

export function pickLastWords(log: string): string {
  const lines = log
    .split('\n')
    .map((line) => plain(line.trim()))
    // Stack frames say where, not why.
    .filter((line) => line !== '' && !/^(at |\d+\. |#\d+ |Node\.js v)/.test(line))
  const matter = lines.filter((line) => telling.test(line))
  const picked = matter.length > 0 ? matter.slice(-maxLines) : lines.slice(-1)
  return withoutSecrets(picked.join(' / ')).slice(0, maxCharacters)
}

/** The readable part of a JSON line of the worker's own log; other lines come from libraries. */
function plain(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const { level, msg, err } = JSON.parse(line) as Record<string, unknown>
    if (level !== 'error' && level !== 'warn') return ''
    return `Error: ${typeof err === 'string' ? err.split('\n')[0] : msg}`.replace(/^(Error: )+/, 'Error: ')
  } catch {
    return line
  }
}

/** Statements are removed whole, because they may contain keys and passwords anywhere. */
function withoutSecrets(text: string): string {
  return text
    .replace(/\(?\b(in query|while executing|query):? .*?(?= \/ |$)/gis, '[statement]')
    .replace(/\b(IDENTIFIED\s+(WITH\s+\w+\s+)?BY)\s+\S+/gi, '$1 [redacted]')
    .replace(/:\/\/[^\s/@]+@/g, '://[redacted]@')
    .replace(
      /\b(password|passwd|secret\w*|token|api_?key|access_?key\w*|authorization)\b(["']?\s*[:=]\s*)\S+/gi,
      '$1$2[redacted]',
    )
}

async function readTail(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      const buffer = Buffer.alloc(Math.min(size, tailBytes))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return ''
  }
}
