import { resolve } from 'node:path'
import type { BodyOf, OperationId } from '../api/operations.ts'
import { formatPath } from '../domain/issue.ts'
import { parseStrictJson } from '../lib/strict-json.ts'
import { usageError } from './failure.ts'
import type { CliIo } from './io.ts'

/** A JSON object from a file, or from standard input for `-`. Error messages never repeat its content. */
export async function readJsonObject(io: CliIo, path: string): Promise<Record<string, unknown>> {
  const name = path === '-' ? 'standard input' : path
  const content = path === '-' ? await io.readStdin() : await readFile(io, path)
  const value = parseJson(content, name)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`${name} must hold a JSON object`)
  }
  return { ...value }
}

/** The body of a command that requires one; the API checks its fields. */
export async function requireBody<Id extends OperationId>(
  { file }: { file?: string },
  { io }: { io: CliIo },
): Promise<BodyOf<Id>> {
  if (file === undefined) throw usageError('give the body with --file <path>, or --file - for standard input')
  return (await readJsonObject(io, file)) as BodyOf<Id>
}

/** A secret from standard input: only its first line, without the line end that tools add. */
export async function readSecret(io: CliIo, what: string): Promise<string> {
  const [line = ''] = new TextDecoder().decode(await io.readStdin()).split(/\r?\n/)
  if (line === '') throw usageError(`standard input holds no ${what}`)
  return line
}

/** Text from a file, or from standard input for `-`. */
export async function readText(io: CliIo, path: string): Promise<string> {
  const name = path === '-' ? 'standard input' : path
  const content = path === '-' ? await io.readStdin() : await readFile(io, path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw usageError(`${name} is not UTF-8 text`)
  }
}

export function parseJson(content: Uint8Array, name: string): unknown {
  const parsed = parseStrictJson(content)
  if ('value' in parsed) return parsed.value
  const place =
    parsed.path.length > 0 ? ` at ${formatPath(parsed.path)}` : lineAndColumn(content, parsed.position)
  throw usageError(`${name} is not valid JSON${place}: ${parsed.problem}`)
}

async function readFile(io: CliIo, path: string): Promise<Uint8Array> {
  try {
    return await io.readFile(resolve(io.directory, path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usageError(`cannot read ${path}: ${code === 'ENOENT' ? 'no such file' : (code ?? 'unknown error')}`)
  }
}

function lineAndColumn(content: Uint8Array, position: number | undefined): string {
  if (position === undefined) return ''
  const lines = new TextDecoder().decode(content).slice(0, position).split('\n')
  return ` at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}
