import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPostgresSource } from '../../../src/pipes/postgres/postgres-source.ts'
import type { SourceCheck, SourcePipe } from '../../../src/pipes/source.ts'
import { patienceMs } from '../patience.ts'
import type { Ends } from '../server.ts'
import { createMemoryTarget, type MemoryTarget } from './memory-target.ts'
import type { PostgresRig } from './postgres-rig.ts'

/** The reader of a pipe from Postgres, in this process, before tables in memory. */
export interface PostgresReading {
  target: MemoryTarget
  /** Sets the tables for the next reader. */
  map(tables: readonly (string | object)[]): void
  check(): Promise<SourceCheck>
  /** Begins to read; a reader that was there before has ended. */
  start(): void
  /** Ends the reader, and resolves with how it ended. */
  stop(): Promise<'completed' | 'stopped' | Error>
  /** How the reader ends by itself. */
  ended(): Promise<'completed' | 'stopped' | Error>
  /** Resolves when the rows of the target are these. */
  until(target: string, rows: readonly string[]): Promise<void>
}

let pipes = 0

export function createPostgresReading(
  t: Ends,
  postgres: PostgresRig,
  tables: readonly (string | object)[],
  settings: object = {},
): PostgresReading {
  const folder = mkdtempSync(join(tmpdir(), 'granary-reading-'))
  const target = createMemoryTarget()
  const id = `test-${process.pid}-${++pipes}`
  let pipe = sourcePipe(id, postgres, tables, settings)
  // Each piece of a load is a batch.
  const source = createPostgresSource({ folder, enoughBytes: 1 })
  let over = new AbortController()
  let running: Promise<'completed' | 'stopped' | Error> = Promise.resolve('stopped')
  t.after(async () => {
    over.abort()
    await running
    await source.remove(pipe, AbortSignal.timeout(patienceMs)).catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    target,
    map(changed) {
      pipe = sourcePipe(id, postgres, changed, settings)
    },
    check: () => source.check(pipe, { sample: false, signal: AbortSignal.timeout(patienceMs) }),
    start() {
      over = new AbortController()
      running = source.read(target.task(pipe, over.signal)).catch((error: Error) => error)
    },
    stop() {
      over.abort()
      return running
    },
    ended: () => running,
    async until(name, rows) {
      const wanted = JSON.stringify([...rows].sort())
      const failed = running.then((end) => {
        throw end instanceof Error ? end : new Error(`the reader has ${end}`)
      })
      failed.catch(() => undefined)
      await Promise.race([target.until(() => JSON.stringify(target.rows(name)) === wanted), failed])
    },
  }
}

export function sourcePipe(
  id: string,
  postgres: PostgresRig,
  tables: readonly (string | object)[],
  settings: object,
): SourcePipe {
  const { source } = postgres.pipe(tables, settings) as {
    source: { postgres: Record<string, unknown> & { tableMappings: object[]; settings: object } }
  }
  const { credentials, tableMappings, settings: given, ...rest } = source.postgres
  return {
    id,
    source: {
      postgres: {
        ...{ type: 'postgres', authentication: 'basic', iamRole: '', tlsHost: '', disableTls: false },
        ...{ skipCertVerification: false, ...rest },
        settings: { ...defaults, ...given },
        tableMappings: tableMappings.map((mapping) => ({ ...mappingDefaults, ...mapping })),
      },
    },
    secrets: { credentials },
    ...{ settings: {}, scaling: {}, fields: [] },
  } as unknown as SourcePipe
}

const defaults = {
  ...{ replicationMode: 'cdc', pullBatchSize: 100_000, publicationName: '', replicationSlotName: '' },
  ...{ allowNullableColumns: true, initialLoadParallelism: 4, snapshotNumRowsPerPartition: 100_000 },
  ...{ snapshotNumberOfParallelTables: 1, enableFailoverSlots: false, deleteOnMerge: false },
}

const mappingDefaults = {
  ...{ excludedColumns: [], useCustomSortingKey: false, sortingKeys: [], tableEngine: 'ReplacingMergeTree' },
  ...{ partitionKey: '', partitionByExpr: '' },
}
