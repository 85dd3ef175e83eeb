// The process that builds the console: node main.ts <repository> <folder of the build>. See ../open-site.ts for what
// it promises. It is a process of its own because Vite takes seconds of CPU and its memory would stay.
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { codings } from '../site.ts'

const [root = '', folder = ''] = process.argv.slice(2)
const builds = dirname(folder)
const draftPrefix = '.draft-'
/** Level 9 of 11: the last two take 25 times as long and save a twelfth. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 9 }

// The build holds no secret, and another user may run the server later.
process.umask(0o022)
// A server that starts has more urgent things to do.
setPriority(10)
await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})

async function main(): Promise<void> {
  await mkdir(builds, { recursive: true })
  const draft = await mkdtemp(join(builds, `${draftPrefix}${process.pid}-`))
  await chmod(draft, 0o755)
  try {
    await build({
      configFile: join(root, 'console', 'vite.config.ts'),
      // Node imports the configuration itself; Vite's own way writes a file beside it.
      configLoader: 'native',
      logLevel: 'error',
      build: { outDir: draft },
    })
    await compressAll(draft)
    await publish(draft)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await removeOthers()
}

async function compressAll(draft: string): Promise<void> {
  const entries = await readdir(draft, { recursive: true, withFileTypes: true })
  const texts = entries
    .filter((entry) => entry.isFile() && ['.html', '.js', '.css', '.svg'].includes(extname(entry.name)))
    .map(({ parentPath, name }) => join(parentPath, name))
  await Promise.all(texts.map(compress))
}

async function compress(file: string): Promise<void> {
  const plain = await readFile(file)
  const packed = {
    br: await promisify(brotliCompress)(plain, { params: brotliParams }),
    gzip: await promisify(gzip)(plain, { level: 9 }),
  }
  for (const coding of ['br', 'gzip'] as const)
    if (packed[coding].length < plain.length) await writeFile(file + codings[coding], packed[coding])
}

/** Writes the draft to the disk before it gets its name, so that a name never stands for half a build. */
async function publish(draft: string): Promise<void> {
  const entries = await readdir(draft, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries) {
    const file = await open(join(parentPath, name))
    await file.sync()
    await file.close()
  }
  await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
    // Another process built the same sources meanwhile.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}

/** Removes builds of other sources, and drafts whose process is gone. */
async function removeOthers(): Promise<void> {
  for (const name of await readdir(builds)) {
    const draftOf = name.startsWith(draftPrefix) ? Number.parseInt(name.slice(draftPrefix.length), 10) : null
    if (name === basename(folder) || (draftOf !== null && isAlive(draftOf))) continue
    await rm(join(builds, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
