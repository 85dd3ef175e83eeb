import { after, before } from 'node:test'
import type { Ends } from './server.ts'

/** Starts before the tests of a file, or of a suite, what they share, and ends it after them, the last thing first. */
export function forAllTests(start: (ends: Ends) => Promise<void>): void {
  const ends: (() => unknown)[] = []
  before(() => start({ after: (end) => void ends.unshift(end) }))
  after(async () => {
    for (const end of ends) await end()
  })
}
