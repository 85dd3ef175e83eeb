import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Beside the folder `console`, everything that a build depends on; test/layers.test.ts holds imports to this list. */
const further = ['package-lock.json', 'tsconfig.json', 'src/api/routes.ts', 'src/console/builder/main.ts']

/** Names the build that belongs to these sources: equal sources, equal key. */
export async function sourcesKey(root = repository): Promise<string> {
  const entries = await readdir(join(root, 'console'), { recursive: true, withFileTypes: true })
  const own = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((path) => !path.startsWith('console/test/') && !path.endsWith('.test.ts'))
  const paths = [...own, ...further].sort()
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path))))
  const hash = createHash('sha256')
  for (const [index, path] of paths.entries()) {
    const text = texts[index] ?? Buffer.alloc(0)
    hash.update(`${path} ${text.length}\n`).update(text)
  }
  return hash.digest('hex').slice(0, 24)
}
