import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReplaceInput } from '../domain/dashboard/types.ts'
import { formatPath, type Issue } from '../domain/issue.ts'
import { parseStrictJson } from '../lib/strict-json.ts'

/** More than the API takes in a body. */
const mostBytes = 8 * 1024 ** 2

/** The files of a folder that describe dashboards, each with what changes when its content does. */
export async function listFiles(directory: string): Promise<Map<string, string>> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  const stamps = new Map<string, string>()
  for (const name of names.sort()) {
    // A file may go between the listing and this.
    const found = await stat(join(directory, name), { bigint: true }).catch(() => null)
    if (found?.isFile()) stamps.set(name, [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' '))
  }
  return stamps
}

/** The dashboard that a file describes; throws a sentence for people if it describes none. */
export async function readDashboardFile(
  path: string,
  check: (body: unknown) => readonly Issue[],
): Promise<ReplaceInput> {
  const { size } = await stat(path)
  if (size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`)
  const parsed = parseStrictJson(await readFile(path))
  if (!('value' in parsed)) throw new Error(`it is not valid JSON: ${parsed.problem}`)
  const issues = check(parsed.value)
  if (issues.length > 0) throw new Error(issueText(issues))
  return parsed.value as ReplaceInput
}

export const issueText = (issues: readonly Issue[]): string =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${formatPath(path)}: ${message}`)
    .join('; ')
