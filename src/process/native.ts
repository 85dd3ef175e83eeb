import { createRequire } from 'node:module'

/** The C library of this process. Each call blocks the calling thread. */
export interface Native {
  /** The system call of this number. A negative result is minus the errno. */
  call(number: number, ...args: (bigint | number | Uint8Array | null)[]): number
  makeFifo(path: string, mode: number): void
  setNoNewPrivileges(): void
  /** False where the system does not support it, or limits this user to less. */
  setPipeSize(fd: number, bytes: number): boolean
  /** Loads a shared library for good; false where there is none of this name. */
  preload(name: string): boolean
}

export class NativeError extends Error {
  readonly errno: number
  constructor(what: string, errno: number) {
    super(`${what} failed with error ${errno}`)
    this.errno = errno
  }
}

let loaded: Native | { missing: string } | undefined

/** `missing`: koffi has no build for this platform, or none is installed. */
export function loadNative(): Native | { missing: string } {
  loaded ??= load()
  return loaded
}

function load(): Native | { missing: string } {
  let koffi: typeof import('koffi')
  try {
    koffi = createRequire(import.meta.url)('koffi')
  } catch {
    return { missing: `koffi has no build for ${process.platform}-${process.arch}` }
  }
  try {
    return bind(koffi)
  } catch (error) {
    return { missing: `the C library cannot be called: ${(error as Error).message}` }
  }
}

function bind(koffi: typeof import('koffi')): Native {
  const library = koffi.load(null)
  const syscall = library.func('long syscall(long, ...)')
  const mkfifo = library.func(`int mkfifo(const char *path, ${isLinux ? 'uint32_t' : 'uint16_t'} mode)`)
  const prctl = isLinux ? library.func('int prctl(int, ulong, ulong, ulong, ulong)') : null
  const fcntl = isLinux ? library.func('int fcntl(int, int, ...)') : null
  return {
    call(number, ...args) {
      const typed = args.flatMap<unknown>((arg) => [typeof arg === 'object' ? 'void *' : 'int64', arg])
      const result: number = syscall(number, ...typed)
      return result < 0 ? -koffi.errno() : result
    },
    makeFifo(path, mode) {
      if (mkfifo(path, mode) !== 0) throw new NativeError('mkfifo', koffi.errno())
    },
    setNoNewPrivileges() {
      if (prctl?.(noNewPrivileges, 1, 0, 0, 0) !== 0) throw new NativeError('prctl', koffi.errno())
    },
    setPipeSize: (fd, bytes) => fcntl !== null && fcntl(fd, setPipeSize, 'int', bytes) >= bytes,
    preload(name) {
      try {
        kept.push(koffi.load(name))
        return true
      } catch {
        return false
      }
    },
  }
}

/** koffi unloads a library when its handle is collected. */
const kept: unknown[] = []

const isLinux = process.platform === 'linux'
/** PR_SET_NO_NEW_PRIVS */
const noNewPrivileges = 38
/** F_SETPIPE_SZ */
const setPipeSize = 1031
