import type { Bench } from './main.ts'
export const growthBench: Bench = { name: 'growth', run: async () => [] }
