import { loadNative, type Native, NativeError } from '../native.ts'

/**
 * Landlock: a thread gives up rights on files, TCP ports and other processes, for itself and for all threads
 * and processes that it starts later. See landlock(7). Each version (ABI) knows more rights; rights that the
 * kernel does not know stay unrestricted.
 */
export interface Landlock {
  /** The version of Landlock that this kernel has. */
  abi: number
  createRuleset(): number
  /** `fd` is a file or directory, opened with O_PATH. The rule also holds for everything below it. */
  allow(ruleset: number, fd: number, rights: bigint): void
  restrictSelf(ruleset: number): void
}

export const rights = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readDirectory: 1n << 3n,
  removeDirectory: 1n << 4n,
  removeFile: 1n << 5n,
  makeCharacterDevice: 1n << 6n,
  makeDirectory: 1n << 7n,
  makeFile: 1n << 8n,
  makeSocket: 1n << 9n,
  makeFifo: 1n << 10n,
  makeBlockDevice: 1n << 11n,
  makeSymlink: 1n << 12n,
  /** Linking and renaming from one directory to another. */
  refer: 1n << 13n,
  truncate: 1n << 14n,
  controlDevice: 1n << 15n,
} as const

/** The rights that a rule on a file may carry. */
export const fileRights =
  rights.execute | rights.writeFile | rights.readFile | rights.truncate | rights.controlDevice

/** Version 1 forbids every move of a file to another directory, whatever the rules. */
const leastAbi = 2

const calls = { createRuleset: 444, addRule: 445, restrictSelf: 446 }
const versionFlag = 1
const pathBeneath = 1
const bindTcp = 1n
const scopes = { abstractSockets: 1n, signals: 2n }

export function openLandlock(): Landlock | { missing: string } {
  if (process.platform !== 'linux') return { missing: `Landlock is Linux's, and this is ${process.platform}` }
  const native = loadNative()
  if ('missing' in native) return native
  const abi = native.call(calls.createRuleset, null, 0, versionFlag)
  if (abi < 0)
    return { missing: abi === -95 ? 'Landlock is turned off at boot' : 'the kernel has no Landlock' }
  if (abi < leastAbi)
    return { missing: `the kernel's Landlock is too old (version ${abi}, needs ${leastAbi})` }
  return landlockOf(native, abi)
}

function landlockOf(native: Native, abi: number): Landlock {
  const handled = handledBy(abi)
  const check = (what: string, result: number): number => {
    if (result < 0) throw new NativeError(what, -result)
    return result
  }
  return {
    abi,
    createRuleset() {
      const words = [
        handled,
        abi >= 4 ? bindTcp : null,
        abi >= 6 ? scopes.abstractSockets | scopes.signals : null,
      ]
      const attributes = new BigUint64Array(words.filter((word) => word !== null))
      const bytes = new Uint8Array(attributes.buffer)
      return check('landlock_create_ruleset', native.call(calls.createRuleset, bytes, bytes.length, 0))
    },
    allow(ruleset, fd, wanted) {
      const attributes = Buffer.alloc(12)
      attributes.writeBigUInt64LE(wanted & handled, 0)
      attributes.writeInt32LE(fd, 8)
      check('landlock_add_rule', native.call(calls.addRule, ruleset, pathBeneath, attributes, 0))
    },
    restrictSelf(ruleset) {
      native.setNoNewPrivileges()
      check('landlock_restrict_self', native.call(calls.restrictSelf, ruleset, 0))
    },
  }
}

function handledBy(abi: number): bigint {
  const count = abi >= 5 ? 16n : abi >= 3 ? 15n : 14n
  return (1n << count) - 1n
}
