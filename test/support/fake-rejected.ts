import type { RejectedRecord, RejectedRecords } from '../../src/pipes/rejected.ts'

/** Nine records that every pipe has rejected, three in each millisecond. */
const records: RejectedRecord[] = Array.from({ length: 9 }, (_, index) => ({
  ...{
    id: `${9 - index}-0`,
    atMs: 2_000 - Math.floor(index / 3),
    source: 'orders/0',
    position: String(9 - index),
  },
  ...{ code: 'parse', reason: 'no number', raw: Buffer.from('x'), rawSize: 1 },
}))

export const fakeRejected: RejectedRecords = {
  async list(_, { limit, after }) {
    const start = records.findIndex(({ atMs, id }) => atMs === after?.atMs && id === after.id) + 1
    return records.slice(start, start + limit)
  },
  reasons: async () => [{ code: 'parse', reason: 'no number', count: 9, firstAtMs: 1_998, lastAtMs: 2_000 }],
}
