import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { readEngineError } from './errors.ts'
import { loadPlainLibrary } from './plain-library.ts'
import type { Scanned } from './statistics.ts'

/** The engine as a library in this process. One data directory per process. */
export interface Library {
  /**
   * The first call opens the directory. Blocks the thread, on the first call until all tables are loaded. `args` are
   * settings as on a command line, to which the profile's constraints do not apply.
   */
  connect(directory: string, args: readonly string[]): EngineConnection
}

/** A connection has its own settings, current database and temporary tables, and runs one statement at a time. */
export interface EngineConnection {
  /**
   * Several statements separated by `;` run one after the other. Rejects with an EngineError. A `format` of null is
   * for INSERT … SELECT: there is no result, and the counters of rows and bytes read count what was written.
   */
  query(sql: string, format: string | null): Promise<EngineResult>
  /** Parses a statement without running it. */
  parse(sql: string): Promise<Parsed>
  /** Must not be called while a query runs. */
  close(): void
}

export interface EngineResult {
  /** The whole result, unless the statement wrote it to a file. */
  bytes: Buffer
  elapsedSeconds: number
  rowsRead: number
  bytesRead: number
  /** What the engine read to find the result; `rowsRead` counts the rows of the result itself. Absent where unknown. */
  scanned?: Scanned
}

export interface Parsed {
  isValid: boolean
  /** Whether the statement contains what the engine itself masks in lists and logs: passwords, keys. */
  hasSecrets: boolean
}

/** `path` is libchdb itself or the directory of the addon's package; '' = the package for this platform. */
export function loadLibrary(path: string): Library {
  if (path !== '' && statSync(path).isFile()) return loadPlainLibrary(path)
  const addon = createRequire(import.meta.url)(path === '' ? platformPackage() : path) as Addon
  return {
    connect(directory, args) {
      const handle = addon.CreateConnection(directory, [...args])
      return {
        query: (sql, format) => run(addon, handle, sql, format),
        async parse(sql) {
          const { statementCount, hasSecrets } = await addon.DurableClassifyAsync(handle, sql)
          return { isValid: statementCount > 0, hasSecrets }
        },
        close: () => addon.CloseConnection(handle),
      }
    },
  }
}

async function run(addon: Addon, handle: unknown, sql: string, format: string | null): Promise<EngineResult> {
  try {
    if (format === null) {
      const { elapsed, rowsWritten, bytesWritten } = await addon.InsertRawAsyncConnection(
        handle,
        sql,
        none,
        false,
      )
      return { bytes: none, elapsedSeconds: elapsed, rowsRead: rowsWritten, bytesRead: bytesWritten }
    }
    const { bytes, elapsed, rowsRead, bytesRead } = await addon.QueryAsyncConnection(handle, sql, format)
    return { bytes, elapsedSeconds: elapsed, rowsRead, bytesRead }
  } catch (error) {
    throw readEngineError(error)
  }
}

interface Addon {
  CreateConnection(path: string, args: string[]): unknown
  CloseConnection(handle: unknown): void
  QueryAsyncConnection(
    handle: unknown,
    sql: string,
    format: string,
  ): Promise<{ bytes: Buffer; elapsed: number; rowsRead: number; bytesRead: number }>
  /** Runs the concatenation of `prefix` and `data` as one statement. */
  InsertRawAsyncConnection(
    handle: unknown,
    prefix: string,
    data: Buffer,
    countLines: boolean,
  ): Promise<{ elapsed: number; rowsWritten: number; bytesWritten: number }>
  DurableClassifyAsync(handle: unknown, sql: string): Promise<{ statementCount: number; hasSecrets: boolean }>
}

const none = Buffer.alloc(0)

const platformPackage = (): string =>
  `@chdb/lib-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
