// Runs a script of this repository on the pinned Node, installing what is missing first.
// Plain JavaScript on purpose: this file must run on whatever Node (18 or later) the machine has.
//
//   node scripts/launch.js src/main.ts [args]      a TypeScript file
//   node scripts/launch.js --bin biome [args]      a tool from node_modules/.bin
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { installEmulatedEngine } from './emulated-engine.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')
const wantedMajor = 24
// The compile cache: with it a second start takes two thirds of the time.
const compileCache = join(root, 'node_modules', '.cache', 'compile')

export async function launch(argv) {
  install()
  const [first, ...rest] = argv
  if (first === '--bin') return run(join(bin, rest[0]), rest.slice(1))
  const script = join(root, first)
  if (major(process.versions.node) >= wantedMajor) {
    // Already on the right Node: stay one process, so that signals reach the script itself.
    process.argv = [process.execPath, script, ...rest]
    // Set for this process and for its children.
    nodeModule.enableCompileCache?.(compileCache)
    process.env.NODE_COMPILE_CACHE ??= compileCache
    await import(pathToFileURL(script).href)
    return
  }
  const node = join(bin, 'node')
  if (!existsSync(node)) {
    fail(
      `needs Node ${wantedMajor} or later: none is packaged for ${process.platform}-${process.arch}, and this is ${process.version}`,
    )
  }
  run(node, [script, ...rest])
}

/** Installs the locked dependencies when they are missing or belong to another lock file. */
function install() {
  const stamp = join(root, 'node_modules', '.granary-lock')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.error('granary: installing dependencies (first start only, takes about a minute)…')
  const npm = process.env.npm_execpath
  const command = npm ? [process.execPath, npm] : [process.platform === 'win32' ? 'npm.cmd' : 'npm']
  const args = [...command.slice(1), 'ci', '--no-audit', '--no-fund', '--loglevel=error']
  const result = spawnSync(command[0], args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) fail('could not install the dependencies: npm said why above')
  installEmulatedEngine(root, command)
  writeFileSync(stamp, wanted)
}

function run(command, args) {
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env }
  const child = spawn(command, args, { stdio: 'inherit', env })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    for (const name of signals) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

function major(version) {
  return Number(version.split('.')[0])
}

function fail(message) {
  console.error(`granary: ${message}`)
  process.exit(1)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await launch(process.argv.slice(2))
}
