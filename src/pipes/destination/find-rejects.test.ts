import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findRejects, type ProbeRange, rangesWithout } from './find-rejects.ts'

/** An engine that sees `plain` ones itself, and is confused by a range with a `hiding` one that is not its last. */
const engineWith =
  (plain: ReadonlySet<number>, hiding: ReadonlySet<number>): ProbeRange =>
  async ({ from, to }) => {
    const inside = (ordinals: ReadonlySet<number>) =>
      [...ordinals].filter((each) => each >= from && each < to)
    if (inside(hiding).length > 0) return 'unclear'
    return inside(plain).map((each) => each - from)
  }

test('exactly the bad records are found, and the others remain', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 200 }),
      fc.uniqueArray(fc.nat(199), { maxLength: 20 }),
      fc.uniqueArray(fc.nat(199), { maxLength: 20 }),
      async (records, some, others) => {
        const within = (each: number) => each < records
        const hiding = new Set(others.filter(within))
        const plain = new Set(some.filter((each) => within(each) && !hiding.has(each)))
        const found = await findRejects(records, engineWith(plain, hiding))
        const bad = [...plain, ...hiding].sort((one, other) => one - other)
        assert.deepEqual([...found.keys()], bad)
        const rest = [...rangesWithout(found.keys(), records)].flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, at) => from + at),
        )
        assert.deepEqual(
          [...rest, ...bad].sort((one, other) => one - other),
          [...Array(records).keys()],
        )
      },
    ),
  )
})

test('eight hundred bad records among a hundred thousand take none of their neighbours along', async () => {
  const bad = new Set(Array.from({ length: 800 }, (_, n) => n * 97))
  const found = await findRejects(100_000, async ({ from, to }) => {
    // The first multiple of 97 that is not before the range.
    const next = Math.ceil(from / 97) * 97
    return next < to && bad.has(next) ? 'unclear' : []
  })
  assert.deepEqual([...found.keys()], [...bad])
})

test('where too many records are bad, the rest is rejected rather than tried for ever', async () => {
  let probes = 0
  const found = await findRejects(100_000, async () => {
    probes += 1
    return 'unclear'
  })
  assert.equal(found.size, 100_000)
  assert.equal(probes, 1_000)
})
