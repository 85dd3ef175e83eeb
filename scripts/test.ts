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

/** The longest files begin first, so that no single file runs alone at the end. */
function rankOf(file: string): number {
  const order = [
    /warehouse-backups/,
    /\.engine\.test/,
    /\/(warehouse|clickhouse|replica|durability)/,
    /acceptance/,
  ]
  const rank = order.findIndex((pattern) => pattern.test(file))
  return rank < 0 ? order.length : rank
}
