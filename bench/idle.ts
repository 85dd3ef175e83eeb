import type { Bench } from './main.ts'
export const idleBench: Bench = { name: 'idle', run: async () => [] }
