import { closeSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { readEngineError } from './errors.ts'
import type { EngineConnection, EngineResult, Library } from './library.ts'

/**
 * libchdb without an addon for Node: its C interface, called through koffi. koffi makes calls on a stack of its own,
 * where the engine believes its stack to be exhausted; so each call that runs SQL gets its own thread, which starts with
 * a few machine instructions that load the arguments of the call and jump to it.
 */
export function loadPlainLibrary(path: string): Library {
  const code = startCode[process.arch]
  if (process.platform !== 'linux' || !code) {
    throw new Error(`${path} cannot be loaded on ${process.platform}-${process.arch} without its addon`)
  }
  const call = bind(path, code)
  return {
    connect(directory, args) {
      const handle = call.connect(['clickhouse', `--path=${directory}`, ...args])
      if (!handle) throw new Error(`Failed to create connection for path '${directory}'`)
      return connectionOf(call, handle)
    },
  }
}

function connectionOf(call: Calls, handle: Pointer): EngineConnection {
  return {
    query: (sql, format) => call.query(handle, sql, format),
    async parse(sql) {
      const { bytes } = await call.query(
        handle,
        `SELECT formatQueryOrNull(${quoteString(sql)}) IS NOT NULL`,
        'TabSeparated',
      )
      // Secrets are in strings, but this interface does not tell in which, so any string counts as one.
      return { isValid: bytes.toString('utf8').trim() === '1', hasSecrets: /['$]/.test(sql) }
    },
    close: () => call.close(handle),
  }
}

type Pointer = bigint

interface Calls {
  /** Null = the connect failed; the engine has written the reason to standard error. */
  connect(words: string[]): Pointer | null
  /** With a `format` of null the result counts the rows and bytes written. */
  query(handle: Pointer, sql: string, format: string | null): Promise<EngineResult>
  close(handle: Pointer): void
}

function bind(path: string, code: Uint8Array): Calls {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  const libc = koffi.load(null)
  const open = libc.func('uintptr_t dlopen(const char *path, int flags)')
  const symbol = libc.func('uintptr_t dlsym(uintptr_t handle, const char *name)')
  const lastError = libc.func('const char *dlerror()')
  const allocate = libc.func('uintptr_t malloc(size_t bytes)')
  const free = libc.func('void free(uintptr_t memory)')
  const copyIn = libc.func('void memcpy(uintptr_t to, const uint8_t *from, size_t bytes)')
  const copyOut = libc.func('void memcpy(uint8_t *to, uintptr_t from, size_t bytes)')
  const startThread = libc.func(
    'int pthread_create(_Out_ uintptr_t *thread, uintptr_t attributes, uintptr_t start, uintptr_t argument)',
  )
  const join = libc.func('int pthread_join(uintptr_t thread, _Out_ uintptr_t *result)')
  const library = address(open(path, 2))
  if (library === 0n) throw new Error(`the engine's library cannot be loaded: ${lastError()}`)
  const start = mapCode(libc, code)
  const native = koffi.load(path)
  const bufferOf = native.func('uintptr_t chdb_result_buffer(uintptr_t result)')
  const lengthOf = native.func('size_t chdb_result_length(uintptr_t result)')
  const errorOf = native.func('const char *chdb_result_error(uintptr_t result)')
  const elapsedOf = native.func('double chdb_result_elapsed(uintptr_t result)')
  /** Older builds lack the counters of rows and bytes written. */
  const counter = (name: string) =>
    address(symbol(library, name)) !== 0n ? native.func(`uint64_t ${name}(uintptr_t result)`) : () => 0
  const read = { rows: counter('chdb_result_rows_read'), bytes: counter('chdb_result_bytes_read') }
  const written = { rows: counter('chdb_result_rows_written'), bytes: counter('chdb_result_bytes_written') }
  const destroy = native.func('void chdb_destroy_query_result(uintptr_t result)')

  /** Starts a call in its own thread. Strings are passed as C strings, which live until the call has ended. */
  function begin(name: string, args: (bigint | string)[]): { thread: bigint; memory: bigint } {
    const texts = args.map((arg) => (typeof arg === 'string' ? Buffer.from(`${arg}\0`) : Buffer.alloc(0)))
    const words = 8 * (1 + maxArguments)
    const memory = address(allocate(texts.reduce((sum, text) => sum + text.length, words)))
    if (memory === 0n) throw new Error('no memory is left')
    const block = Buffer.alloc(words)
    block.writeBigUInt64LE(address(symbol(library, name)), 0)
    let at = memory + BigInt(words)
    for (const [index, arg] of args.entries()) {
      block.writeBigUInt64LE(typeof arg === 'string' ? at : arg, 8 * (index + 1))
      at += BigInt(texts[index]?.length ?? 0)
    }
    const all = Buffer.concat([block, ...texts])
    copyIn(memory, all, all.length)
    const thread = [0n]
    if (startThread(thread, 0, start, memory) !== 0) {
      free(memory)
      throw new Error('no thread can be started')
    }
    return { thread: address(thread[0]), memory }
  }

  function callNow(name: string, args: (bigint | string)[]): Pointer {
    const { thread, memory } = begin(name, args)
    const result = [0n]
    join(thread, result)
    free(memory)
    return address(result[0])
  }

  function callLater(name: string, args: (bigint | string)[]): Promise<Pointer> {
    const { thread, memory } = begin(name, args)
    const result = [0n]
    return new Promise((resolve, reject) => {
      join.async(thread, result, (error: Error | null) => {
        free(memory)
        if (error) reject(error)
        else resolve(address(result[0]))
      })
    })
  }

  /** A `char **`: the addresses, then the texts. */
  function wordList(words: string[]): bigint {
    const texts = words.map((word) => Buffer.from(`${word}\0`))
    const list = Buffer.alloc(8 * (words.length + 1))
    const memory = address(allocate(texts.reduce((sum, text) => sum + text.length, list.length)))
    let at = memory + BigInt(list.length)
    for (const [index, text] of texts.entries()) {
      list.writeBigUInt64LE(at, 8 * index)
      at += BigInt(text.length)
    }
    const all = Buffer.concat([list, ...texts])
    copyIn(memory, all, all.length)
    return memory
  }

  const valueAt = (memory: bigint): bigint => {
    const value = Buffer.alloc(8)
    copyOut(value, memory, 8)
    return value.readBigUInt64LE()
  }

  function readResult(result: Pointer, counted: typeof read): EngineResult {
    const failure: string | null = errorOf(result)
    if (failure) throw readEngineError(new Error(failure))
    const bytes = Buffer.alloc(Number(lengthOf(result)))
    if (bytes.length > 0) copyOut(bytes, bufferOf(result), bytes.length)
    const [rowsRead, bytesRead] = [Number(counted.rows(result)), Number(counted.bytes(result))]
    return { bytes, elapsedSeconds: elapsedOf(result), rowsRead, bytesRead }
  }

  return {
    connect(words) {
      const list = wordList(words)
      const handle = callNow('chdb_connect', [BigInt(words.length), list])
      free(list)
      return handle === 0n || valueAt(handle) === 0n ? null : handle
    },
    async query(handle, sql, format) {
      const words = [sql, format ?? 'TabSeparated']
      const args = words.flatMap((text) => [text, BigInt(Buffer.byteLength(text))])
      const result = await callLater('chdb_query_n', [valueAt(handle), ...args])
      if (result === 0n) throw readEngineError(new Error('the engine gave no result'))
      try {
        return readResult(result, format === null ? written : read)
      } finally {
        destroy(result)
      }
    },
    close: (handle) => void callNow('chdb_close_conn', [handle]),
  }
}

/** Maps the code from a file, as the loader maps a program, so that no memory is ever both writable and executable. */
function mapCode(libc: ReturnType<typeof import('koffi').load>, code: Uint8Array): bigint {
  const makeFile = libc.func('int memfd_create(const char *name, uint flags)')
  const map = libc.func(
    'uintptr_t mmap(uintptr_t at, size_t bytes, int access, int flags, int fd, long offset)',
  )
  const fd: number = makeFile('start', 1)
  if (fd < 0) throw new Error('no memory can be mapped for calls of the engine')
  try {
    writeSync(fd, code)
    // PROT_READ | PROT_EXEC, MAP_PRIVATE.
    const start = address(map(0, 4096, 1 | 4, 2, fd, 0))
    if (start === 2n ** 64n - 1n) throw new Error('no memory can be mapped for calls of the engine')
    return start
  } finally {
    closeSync(fd)
  }
}

const address = (value: unknown): bigint => BigInt(value as number | bigint)
const maxArguments = 5

/** The thread's only argument points to the address of the function, followed by the function's arguments. */
const startCode: Partial<Record<string, Uint8Array>> = {
  // mov rax, rdi; mov rdi, [rax+8]; rsi, [rax+16]; rdx, [rax+24]; rcx, [rax+32]; r8, [rax+40]; jmp [rax]
  x64: Buffer.from('4889f8488b7808488b7010488b5018488b48204c8b4028ff20', 'hex'),
  // mov x9, x0; ldp x0, x1, [x9, 8]; ldp x2, x3, [x9, 24]; ldr x4, [x9, 40]; ldr x9, [x9]; br x9
  arm64: Buffer.from('e90300aa208540a9228d41a9241540f9290140f920011fd6', 'hex'),
}
