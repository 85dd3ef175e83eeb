import { createRequire } from 'node:module'

/**
 * A seccomp filter that hands every system call that names an address to a supervisor (seccomp_unotify(2)):
 * the call waits until the supervisor allows or fails it. It holds for all threads of this process, and for
 * all threads and processes that they start. Calls that would bypass it (io_uring, calls of another
 * architecture) fail.
 */
export function installEgressFilter(machine: Machine): { listener: number } | { missing: string } {
  const { koffi, prctl, syscall } = openLibrary()
  if (prctl(prSetNoNewPrivileges, 1, 0, 0, 0) !== 0) return { missing: `prctl fails with ${koffi.errno()}` }
  const program = programFor(machine)
  const header = Buffer.alloc(16)
  header.writeUInt16LE(program.length / 8, 0)
  header.writeBigUInt64LE(koffi.address(program), 8)
  let errno = 0
  // Kernels before 5.19 lack the last flag.
  for (const flags of [listenerFlags | waitKillable, listenerFlags]) {
    const fd = Number(syscall(machine.seccomp, setModeFilter, flags, header))
    if (fd >= 0) return { listener: fd }
    errno = koffi.errno()
  }
  return { missing: `the kernel takes no filter of connects (seccomp fails with ${errno})` }
}

/** Also asks the kernel, because an emulator has no seccomp filters. */
export function findMachine(): Machine | { missing: string } {
  const machine = process.platform === 'linux' ? machines[process.arch] : undefined
  if (machine === undefined)
    return { missing: `no filter of connects for ${process.platform}-${process.arch}` }
  try {
    const sizes = Buffer.alloc(6)
    const isKnown = Number(openLibrary().syscall(machine.seccomp, getNotificationSizes, 0, sizes)) === 0
    return isKnown && sizes.readUInt16LE(0) === requestBytes && sizes.readUInt16LE(2) === responseBytes
      ? machine
      : { missing: 'the kernel has no filter of connects (seccomp_unotify)' }
  } catch (error) {
    return { missing: `the C library cannot be called: ${(error as Error).message}` }
  }
}

function openLibrary() {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  const libc = koffi.load(null)
  return {
    koffi,
    prctl: libc.func('int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)'),
    syscall: libc.func('long syscall(long, unsigned int, unsigned int, void*)'),
  }
}

/** Numbers of system calls. */
export interface Machine {
  arch: number
  seccomp: number
  connect: number
  sendto: number
  sendmsg: number
  sendmmsg: number
}

const machines: Record<string, Machine> = {
  x64: { arch: 0xc000003e, seccomp: 317, connect: 42, sendto: 44, sendmsg: 46, sendmmsg: 307 },
  arm64: { arch: 0xc00000b7, seccomp: 277, connect: 203, sendto: 206, sendmsg: 211, sendmmsg: 269 },
}

const ioUringSetup = 425
/** The mark of system calls of the x32 ABI; no other number has this bit. */
const x32Bit = 0x40000000
const prSetNoNewPrivileges = 38
const [setModeFilter, getNotificationSizes] = [1, 3]
/** The sizes of struct seccomp_notif and seccomp_notif_resp. */
export const [requestBytes, responseBytes] = [80, 24]
/** SECCOMP_FILTER_FLAG_TSYNC, NEW_LISTENER, TSYNC_ESRCH: the filter holds for all threads, or the call fails. */
const listenerFlags = 1 | 8 | 16
/** SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV: the signals of the engine's profiler must not interrupt an answer. */
const waitKillable = 32

const [load, jumpIfEqual, jumpIfAtLeast, answer] = [0x20, 0x15, 0x35, 0x06]
const allow = 0x7fff0000
const ask = 0x7fc00000
const notImplemented = 0x00050000 | 38

/** Offsets within struct seccomp_data. */
const [numberAt, archAt, argumentsAt] = [0, 4, 16]

/** Jump offsets count the instructions that they skip. */
function programFor({ arch, connect, sendto, sendmsg, sendmmsg }: Machine): Buffer {
  const destinationAt = argumentsAt + 4 * 8
  return Buffer.concat([
    instruction(load, archAt),
    instruction(jumpIfEqual, arch, 1, 0),
    instruction(answer, notImplemented),
    instruction(load, numberAt),
    instruction(jumpIfAtLeast, x32Bit, 10, 0),
    instruction(jumpIfEqual, ioUringSetup, 9, 0),
    instruction(jumpIfEqual, connect, 7, 0),
    instruction(jumpIfEqual, sendmsg, 6, 0),
    instruction(jumpIfEqual, sendmmsg, 5, 0),
    instruction(jumpIfEqual, sendto, 0, 6),
    // On a connected socket, `sendto` names no address.
    instruction(load, destinationAt),
    instruction(jumpIfEqual, 0, 0, 2),
    instruction(load, destinationAt + 4),
    instruction(jumpIfEqual, 0, 2, 0),
    instruction(answer, ask),
    instruction(answer, notImplemented),
    instruction(answer, allow),
  ])
}

function instruction(code: number, value: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
