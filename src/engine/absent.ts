import type { Engine } from './engine.ts'

/** Stands where a warehouse engine will be. It runs nothing and says so; it pretends nothing. */
export function createAbsentEngine(): Engine {
  return {
    kind: 'none',
    capabilities: () => ({ startEstimateMs: 0 }),
    apply: async ({ power, generation }) =>
      power === 'off'
        ? { accepted: generation }
        : { refused: 'no warehouse engine is part of this build yet', retryable: false },
    observe: async () => ({
      acceptedGeneration: 0,
      settledGeneration: 0,
      power: 'absent',
      replicas: [],
      version: '',
      problem: null,
      progress: '',
    }),
    destroy: async () => {},
    adopt: async () => [],
  }
}
