// Runs all tests, or those whose path contains one of the arguments: npm test -- store walk
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv.slice(2)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()

if (files.length === 0) {
  console.error(`no test file matches: ${wanted.join(' ')}`)
  process.exit(2)
}
console.log(`${files.length} test files; each starts the servers that it needs by itself`)
const reporter = process.env['CI'] ? 'spec' : 'dot'
const child = spawn(
  process.execPath,
  ['--test', `--test-reporter=${reporter}`, '--test-concurrency=2', ...files],
  {
    cwd: root,
    stdio: 'inherit',
  },
)
child.on('exit', (code) => {
  console.log(code === 0 ? '\nAll tests passed.' : '\nSome tests failed, see above.')
  process.exit(code ?? 1)
})
