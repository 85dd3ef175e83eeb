// Imports point down (docs/decisions/0002-layers.md). Each row is a folder of src, with what its files may import
// besides each other. An entry is another row's folder, or one file: of a port, only the port file. The deepest
// row that contains a file is the file's row, so a row for `gateway/door` takes that folder out of `gateway`.
// Tests may import anything; the files directly in src compose the parts and may import all of them.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const layers: Record<string, readonly string[]> = {
  lib: [],
  domain: ['lib'],
  api: ['domain', 'lib'],
  // Used by `npm run openapi`; the server has the documents, not the code that writes them.
  'api/openapi': ['api', 'domain', 'lib'],
  telemetry: ['lib'],
  process: ['lib'],
  // For each kind of worker: `supervise` runs in the control process, `worker` in the worker process.
  'process/supervise': ['lib', 'process'],
  'process/worker': ['lib', 'process'],
  config: ['domain', 'lib', 'process/confine/isolation.ts'],
  store: ['domain', 'lib'],
  engine: ['domain', 'lib'],
  // The control process. Code that runs in a replica process is in `replica`; code that both run is beside it.
  'engine/embedded': [
    ...['engine', 'domain', 'lib', 'process', 'process/supervise', 'engine/embedded/filter'],
  ],
  'engine/embedded/filter': ['lib', 'engine/embedded/protocol.ts', 'engine/embedded/engine-error.ts'],
  'engine/embedded/replica': [
    ...['lib', 'process', 'process/worker', 'engine/engine.ts', 'engine/embedded/filter'],
    ...['engine/embedded/protocol.ts', 'engine/embedded/engine-error.ts'],
  ],
  gateway: ['domain', 'lib', 'gateway/door', 'gateway/internal', 'gateway/routing', 'engine/engine.ts'],
  // A request and its answer, as all parts of the gateway see them.
  'gateway/exchange': ['lib', 'engine/embedded/protocol.ts'],
  // The principal is known before the route; the door never talks to an upstream.
  'gateway/door': ['domain', 'lib', 'gateway/exchange', 'gateway/routing', 'gateway/lookups.ts'],
  'gateway/internal': ['domain', 'lib', 'gateway/exchange', 'gateway/routing', 'engine/embedded/protocol.ts'],
  'gateway/routing': [
    ...['domain', 'lib', 'gateway/exchange', 'gateway/upstream', 'gateway/lookups.ts', 'engine/engine.ts'],
  ],
  'gateway/upstream': ['lib', 'gateway/exchange', 'engine/embedded/protocol.ts'],
  // SQL behind dashboards, as pure functions.
  'queries/sql': ['domain', 'lib'],
  queries: ['domain', 'lib', 'queries/sql', 'gateway/internal', 'store/secret-box.ts'],
  // Statements of callers of the API.
  statements: ['domain', 'lib', 'gateway/internal'],
  pipes: ['domain', 'lib', 'process', 'process/supervise', 'engine/engine.ts', 'store/store.ts'],
  // What runs in a pipe worker; the kinds of sources are beside it.
  'pipes/worker': ['domain', 'lib', 'process', 'process/worker', 'pipes'],
  bootstrap: ['config', 'domain', 'lib', 'store/store.ts', 'store/secret-box.ts'],
  alerts: [...['domain', 'lib', 'store/store.ts', 'reconcile/loop.ts', 'queries/queries.ts']],
  // What the demo's data looks like; runs in a thread of its own too.
  'demo/shop': ['lib'],
  demo: ['domain', 'lib', 'control', 'store/store.ts', 'demo/shop', 'pipes/object-storage/position.ts'],
  'dashboard-files': ['domain', 'lib', 'store/store.ts'],
  sources: ['domain', 'lib', 'gateway/internal/ask.ts'],
  control: [
    ...['domain', 'lib', 'store/store.ts', 'store/secret-box.ts', 'engine/engine.ts', 'engine/backup.ts'],
    ...[
      'sources/tables.ts',
      'queries/queries.ts',
      'queries/question.ts',
      'pipes/checks.ts',
      'pipes/rejected.ts',
    ],
    ...['statements/statements.ts', 'statements/request.ts', 'statements/export-result.ts'],
  ],
  reconcile: ['domain', 'lib', 'store/store.ts', 'engine/engine.ts', 'engine/backup.ts', 'pipes/runtime.ts'],
  // Builds and reads the files of the console; `builder` runs in a process of its own.
  console: ['lib'],
  http: [
    ...['api', 'api/openapi/types.ts', 'control', 'domain', 'lib', 'store/store.ts', 'store/secret-box.ts'],
    ...['queries/question.ts', 'console/site.ts'],
  ],
  // Each joins what one capability consists of; server.ts joins the parts.
  parts: [
    ...[
      'alerts',
      'config',
      'console',
      'control',
      'dashboard-files',
      'demo',
      'domain',
      'engine',
      'engine/embedded',
      'gateway',
      'lib',
    ],
    ...['pipes', 'process', 'queries/queries.ts'],
    ...['reconcile', 'store/store.ts', 'store/secret-box.ts', 'telemetry/metrics.ts'],
  ],
  client: ['api', 'domain', 'lib'],
  cli: ['client', 'api', 'domain', 'lib'],
}

const src = fileURLToPath(new URL('../src/', import.meta.url))
const files = globSync('**/*.ts', { cwd: src })

test('every folder of src has a row, and every entry of a row is there', () => {
  const folders = files.map(dirname).filter((folder) => folder !== '.')
  assert.deepEqual(
    [...new Set(folders)].filter((folder) => rowOf(join(folder, 'any.ts')) === undefined),
    [],
  )
  const entries = Object.entries(layers).flat(2)
  assert.deepEqual(
    entries.filter((entry) => !existsSync(join(src, entry))),
    [],
  )
})

test('no file of src imports against the table', () => {
  const broken = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => brokenRules(file, readFileSync(join(src, file), 'utf8')))
  assert.equal(broken.join('\n'), '')
})

test('a broken rule is told with its file, its line and what the folder may import', () => {
  const text = [
    `import { type Store } from '../store/store.ts'`,
    `import {`,
    `  openStore,`,
    `} from '../store/sql/open.ts'`,
    `export { serve } from '../server.ts'`,
    `const late = import('../../test/support/server.ts')`,
    `import '../pipes/runtime.ts'`,
  ].join('\n')
  const rule =
    '(reconcile may import: domain, lib, store/store.ts, engine/engine.ts, engine/backup.ts, pipes/runtime.ts)'
  assert.deepEqual(brokenRules('reconcile/loop.ts', text), [
    `src/reconcile/loop.ts:4 imports src/store/sql/open.ts ${rule}`,
    `src/reconcile/loop.ts:5 imports src/server.ts ${rule}`,
    `src/reconcile/loop.ts:6 imports test/support/server.ts ${rule}`,
  ])
})

/** A build of the console is kept under a key of its sources, so those must be known (src/console/sources.ts). */
test('of the server, code of the console imports only the table of routes, and types', () => {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const broken = globSync('console/src/**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8').replaceAll(/^import type [^'"]*from .*$/gm, '')
      const targets = importsOf(text).map(({ specifier }) => normalize(join(dirname(file), specifier)))
      return targets
        .filter((target) => !target.startsWith('console/src/') && target !== 'src/api/routes.ts')
        .map((target) => `${file} imports ${target} (use "import type", or src/api/routes.ts)`)
    })
  assert.equal(broken.join('\n'), '')
})

/** The row of a file, both as paths within src; files directly in src have none. */
function rowOf(file: string): string | undefined {
  const within = Object.keys(layers).filter((folder) => file.startsWith(`${folder}/`))
  return within.sort((one, other) => other.length - one.length)[0]
}

function brokenRules(file: string, text: string): string[] {
  const row = rowOf(file)
  if (row === undefined) return []
  const allowed = layers[row] ?? []
  // Code that several tests share may be beside its source: its name ends with `-rig`.
  const isTestRig = file.endsWith('-rig.ts')
  return importsOf(text).flatMap(({ specifier, line }) => {
    const target = normalize(join(dirname(file), specifier))
    if (target.startsWith('../test/') && isTestRig) return []
    const targetRow = rowOf(target)
    if (targetRow === row || allowed.includes(target)) return []
    if (targetRow !== undefined && allowed.includes(targetRow)) return []
    const rule = `(${row} may import: ${allowed.join(', ') || 'nothing'})`
    return [`src/${file}:${line} imports ${normalize(join('src', target))} ${rule}`]
  })
}

function importsOf(text: string): { specifier: string; line: number }[] {
  const statements = text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]*)['"]/g)
  return [...statements].map((found) => ({
    specifier: found[1] ?? '',
    line: text.slice(0, found.index + found[0].length).split('\n').length,
  }))
}
