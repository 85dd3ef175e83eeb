// Everything that can be checked without running the product: format, lint, types, generated files.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const steps = [
  { name: 'format and lint', command: 'node_modules/.bin/biome', args: ['ci', '--error-on-warnings', '.'] },
  { name: 'types', command: 'node_modules/.bin/tsc', args: [] },
  { name: 'types of the console', command: 'node_modules/.bin/tsc', args: ['-p', 'console'] },
  {
    name: 'colours of the console',
    command: process.execPath,
    args: ['console/check-tokens.mjs', '--quiet'],
  },
  {
    name: 'layers',
    command: process.execPath,
    args: ['--test', '--test-reporter=dot', 'test/layers.test.ts'],
  },
  { name: 'openapi documents', command: process.execPath, args: ['scripts/openapi.ts', '--check'] },
]

const failed = steps.filter(({ name, command, args }) => {
  console.log(`check: ${name}`)
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status !== 0
})
if (failed.length > 0) {
  console.error(`check failed: ${failed.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}
