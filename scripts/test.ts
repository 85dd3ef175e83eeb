// Runs all tests, or those whose path contains one of the arguments: npm test -- store walk
import { globSync } from 'node:fs'
import { relative } from 'node:path'
import { run } from 'node:test'
import { dot, spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
const wanted = process.argv.slice(2)
const places = ['src', 'test', 'console/src', 'console/test']
const files = globSync(places.map((place) => `${place}/**/*.test.ts`))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()
  .sort((one, other) => rankOf(one) - rankOf(other))

if (files.length === 0) {
  console.error(`no test file matches: ${wanted.join(' ')}`)
  process.exit(2)
}
console.log(`${files.length} test files; each starts the servers that it needs by itself`)
if (files.some((file) => file.endsWith('.browser.test.ts'))) await prepareBrowserTests()
const durations: { file: string; seconds: number }[] = []
const hung = new AbortController()
const tests = run({ files, concurrency: 2, signal: hung.signal })
const pending = new Set(files)
/** Files are reported in their order, so a file that hangs is the first that is pending. */
const watch = setTimeout(() => {
  console.error(`no test file ended within 30 minutes; this one hangs: ${[...pending][0]}`)
  process.exitCode = 1
  hung.abort()
}, 30 * 60_000)
tests.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1
})
tests.on('test:summary', ({ file, duration_ms: ms }) => {
  if (file === undefined) return clearTimeout(watch)
  durations.push({ file: relative(root, file), seconds: ms / 1000 })
  pending.delete(relative(root, file))
  watch.refresh()
})
tests.compose(process.env['CI'] ? spec : dot).pipe(process.stdout)
process.on('exit', (code) => {
  const slowest = durations.sort((one, other) => other.seconds - one.seconds).slice(0, 10)
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  console.log(code === 0 ? '\nAll tests passed.' : '\nSome tests failed, see above.')
})

/** Once for all files, so that two of them do not install a browser or build the console side by side. */
async function prepareBrowserTests(): Promise<void> {
  const { ensureChromium } = await import('../console/test/rig/chromium.ts')
  const { openSite } = await import('../src/console/open-site.ts')
  ensureChromium()
  const onBuild = () => console.log('building the console first')
  await openSite({ onBuild, signal: AbortSignal.timeout(10 * 60_000) })
}

/** The longest files begin first, so that no single file runs alone at the end. */
function rankOf(file: string): number {
  const order = [
    /warehouse-backups/,
    /\.engine\.test/,
    /\/(warehouse|clickhouse|replica|durability)/,
    /acceptance/,
    /\.browser\.test/,
  ]
  const rank = order.findIndex((pattern) => pattern.test(file))
  return rank < 0 ? order.length : rank
}
