// Writes the OpenAPI documents; with --check, fails when the checked-in documents differ from the generated ones.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createOpenApi } from '../src/api/openapi/document.ts'

const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
const check = process.argv.includes('--check')
let stale = false

for (const api of ['management', 'dashboards'] as const) {
  const name = `openapi/${api}.json`
  const file = fileURLToPath(new URL(name, root))
  const wanted = `${JSON.stringify(createOpenApi(api, version), null, 2)}\n`
  if (read(file) === wanted) {
    console.log(`${name} is up to date`)
  } else if (check) {
    console.error(
      `${name} differs from what the operations say: run \`npm run openapi\` and commit the result`,
    )
    stale = true
  } else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, wanted)
    console.log(`${name} written`)
  }
}
if (stale) process.exitCode = 1

/** null when the file does not exist yet. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
