import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The path of a Chromium; installs Debian's where none is found and this process may, and fails clearly elsewhere. */
export function ensureChromium(): string {
  const given = process.env['GRANARY_CHROMIUM']
  if (given) {
    if (!existsSync(given)) throw new Error(`GRANARY_CHROMIUM names ${given}, which is not there`)
    return given
  }
  const found = find() ?? (canInstall() ? install() : undefined)
  if (found) return found
  throw new Error(
    'the tests of the console need Chromium: install it (Debian: apt-get install chromium; macOS: Google Chrome), or name one by GRANARY_CHROMIUM',
  )
}

/** One browser for a test file; contexts keep its pages apart. */
export function launchChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: ensureChromium(),
    // The sandbox of Chromium refuses root; /dev/shm is small in containers.
    args: ['--disable-dev-shm-usage', ...(isRoot ? ['--no-sandbox'] : [])],
  })
}

function find(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const commands = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...commands, ...applications].find((path) => existsSync(path))
}

const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

function install(): string | undefined {
  console.error('no Chromium is here: installing the one of the distribution…')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    // Another test file may be installing at the same time.
    const patient = ['-q', '-o', 'DPkg::Lock::Timeout=600', ...args]
    const { status } = spawnSync('/usr/bin/apt-get', patient, { env, stdio: ['ignore', 2, 2] })
    if (status !== 0) console.error(`apt-get ${args[0]} failed with status ${status}`)
  }
  return find()
}
