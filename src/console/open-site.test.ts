import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/support/store-rig.ts'
import { openSite } from './open-site.ts'

/** A small installation: what a build reads, without the console itself. */
function createInstallation(t: TestContext) {
  const root = temporaryFolder(t)
  const builds = join(root, 'node_modules/.cache/console')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('console/vite.config.ts', `export default { root: import.meta.dirname }\n`)
  write('console/index.html', '<!doctype html><script type="module" src="/src/main.ts"></script>')
  write('console/src/main.ts', `document.title = 'one'\n`)
  for (const path of ['package-lock.json', 'tsconfig.json']) write(path, '{}')
  for (const path of ['src/api/routes.ts', 'src/console/builder/main.ts']) write(path, '')
  let built = 0
  return {
    write,
    builds,
    finished: () => readdirSync(builds).filter((name) => !name.startsWith('.')),
    drafts: () => readdirSync(builds).filter((name) => name.startsWith('.')),
    built: () => built,
    open: (signal = new AbortController().signal, onBuild = () => {}) =>
      openSite({
        root,
        signal,
        onBuild() {
          built += 1
          onBuild()
        },
      }),
  }
}

const scriptOf = (site: Awaited<ReturnType<typeof openSite>>) =>
  [...site].find(([path]) => path.endsWith('.js'))?.[1].plain.toString() ?? ''

describe('the console', () => {
  it('is built once for the same sources, and nothing is written for a build that is there', async (t) => {
    const { open, built, builds, write, finished } = createInstallation(t)
    const first = await open()
    const page = first.get('/index.html')
    assert.equal(page?.type, 'text/html; charset=utf-8')
    assert.match(scriptOf(first), /one/)
    const before = statSync(builds).mtimeMs
    write('console/src/main.test.ts', 'no part of the build')
    assert.deepEqual([...(await open()).keys()], [...first.keys()])
    assert.equal(built(), 1)
    assert.equal(statSync(builds).mtimeMs, before)

    write('console/src/main.ts', `document.title = 'two'\n`)
    assert.match(scriptOf(await open()), /two/)
    assert.equal(built(), 2)
    assert.equal(finished().length, 1, 'the build of the former sources is removed')
  })

  it('is whole after two starts at once', async (t) => {
    const { open, finished, drafts } = createInstallation(t)
    const [one, other] = await Promise.all([open(), open()])
    assert.deepEqual([...one.keys()], [...other.keys()])
    assert.equal(finished().length, 1)
    assert.deepEqual(drafts(), [])
  })

  it('says why it cannot be built, and is built when that is mended', async (t) => {
    const { open, write, finished, drafts } = createInstallation(t)
    write('console/src/main.ts', `import './missing.ts'\n`)
    await assert.rejects(open(), /missing\.ts/)
    assert.deepEqual([...finished(), ...drafts()], [])
    write('console/src/main.ts', `document.title = 'mended'\n`)
    assert.match(scriptOf(await open()), /mended/)
  })

  it('is not there after a build that was cut off, and the next build removes what that one left', async (t) => {
    const { open, builds, finished, drafts } = createInstallation(t)
    const stopping = new AbortController()
    await assert.rejects(open(stopping.signal, () => setImmediate(() => stopping.abort())))
    assert.deepEqual(existsSync(builds) ? finished() : [], [])
    // No process has a pid that large.
    mkdirSync(join(builds, '.draft-4999999-abcdef'), { recursive: true })
    await open()
    assert.deepEqual(drafts(), [])
    rmSync(builds, { recursive: true })
  })
})
