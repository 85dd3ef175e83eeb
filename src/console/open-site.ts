import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSite, type Site } from './site.ts'
import { repository, sourcesKey } from './sources.ts'

export interface OpenOptions {
  /** Told before a build begins. */
  onBuild(): void
  /** Ends a build that is under way. */
  signal: AbortSignal
  /** Holds `console/` and `node_modules/`. */
  root?: string
}

/**
 * Reads the console, which is built first unless a build of the same sources is there.
 *
 * Builds are kept in `node_modules/.cache/console/<key of the sources>`. A build becomes visible under that name by one
 * rename, whole and on the disk; an interrupted one leaves a draft, which the next build removes. Two processes that
 * build at once do not see each other: the first rename wins. Nothing is written while a finished build is there.
 */
export async function openSite({ onBuild, signal, root = repository }: OpenOptions): Promise<Site> {
  const folder = join(root, 'node_modules', '.cache', 'console', await sourcesKey(root))
  const isBuilt = await access(join(folder, 'index.html')).then(
    () => true,
    () => false,
  )
  if (!isBuilt) {
    onBuild()
    await build(root, folder, signal)
  }
  return loadSite(folder)
}

const builder = fileURLToPath(new URL('builder/main.ts', import.meta.url))
async function build(root: string, folder: string, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [builder, root, folder], {
    // The builder inherits nothing of our environment, which may hold secrets.
    ...{ cwd: root, env: { PATH: '/usr/local/bin:/usr/bin:/bin' }, signal, killSignal: 'SIGKILL' as const },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(said.trim() || `the builder ended with code ${code}`)
}
