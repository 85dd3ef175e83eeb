import type { TestContext } from 'node:test'
import {
  type CatalogFollowerOptions,
  createCatalogFollower,
} from '../../src/engine/embedded/replica/catalog/follower.ts'
import { createFakeReader } from './fake-reader.ts'
import { createFakeWriter } from './fake-writer.ts'
import { createManualClock } from './manual-clock.ts'
import { createRecordingLog } from './recording-log.ts'

/** A catalog follower between a fake writer's files and a fake reader's engine. */
export function createRig(t: TestContext, options: Partial<CatalogFollowerOptions> = {}) {
  const writer = createFakeWriter()
  const reader = createFakeReader()
  const log = createRecordingLog()
  // Only `sync` runs rounds: the clock stands still, so that no other round comes in between.
  const clock = createManualClock(Date.now())
  const follower = createCatalogFollower({ dataDir: writer.dataDir, run: reader.run, log, clock, ...options })
  t.after(() => {
    writer.remove()
    return follower.stop()
  })
  /** The statements that one round runs on the reader, without the bodies of definitions. */
  async function sync(): Promise<string[]> {
    reader.statements.length = 0
    await follower.sync()
    return reader.statements
      .filter((sql) => !sql.startsWith('SELECT'))
      .map((sql) => sql.replaceAll(/UUID '[^']*'.*/gs, '').trim())
  }
  return { writer, reader, follower, log, clock, sync }
}
