import { quoteIdentifier } from '../lib/clickhouse/identifiers.ts'
import type { Engine, SqlDialect } from './engine.ts'

/** The engine of a machine that cannot run warehouses: it refuses to start services, and says why. */
export function createAbsentEngine(reason = 'no warehouse engine runs here'): Engine {
  return {
    kind: 'none',
    capabilities: () => ({
      startEstimateMs: 0,
      idle: false,
      wakeEstimateMs: 0,
      sharedStorage: false,
      readerLagMs: 0,
    }),
    apply: async ({ power, generation }) =>
      power === 'off' ? { accepted: generation } : { refused: reason, retryable: false },
    observe: async () => ({
      acceptedGeneration: 0,
      settledGeneration: 0,
      power: 'absent',
      replicas: [],
      version: '',
      problem: null,
      progress: '',
      busy: { merges: 0, mutations: 0, backups: 0, queries: 0 },
      storage: { parts: 0, usedBytes: 0 },
    }),
    onChange: () => () => {},
    destroy: async () => {},
    adopt: async () => [],
    sql: () => dialect,
    close: async () => {},
  }
}

const dialect: SqlDialect = {
  tableEngine: (family) => family,
  createDatabase: (name) => `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(name)}`,
  deduplication: { tableSettings: {}, insertSettings: {} },
}
