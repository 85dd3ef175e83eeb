import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonPeer } from '../../lib/json-peer.ts'
import { type Batch, type ChangesSpool, type Lane, SourceError, type Spool } from '../source.ts'
import type { CommitParams, MoveParams } from '../worker-protocol.ts'
import { type ChangesFile, createChangesFile } from './changes-file.ts'
import { createSpoolFile, type SpoolFile, writeObjects } from './spool-file.ts'

/** The lanes of this worker: their spools are its files, and everything else is asked of the control process. */
export function createLanes(peer: JsonPeer, folder: string) {
  let spools = 0
  const made = new WeakMap<Spool, { file: SpoolFile; name: string }>()
  const changes = new WeakMap<ChangesSpool, { file: ChangesFile; name: string }>()
  const nextName = () => `b${++spools}`

  async function write(content: Batch['content']): Promise<string> {
    if ('steps' in content) {
      const known = changes.get(content.spool)
      if (!known) throw new Error('the spool is not one of this worker, or it was committed before')
      changes.delete(content.spool)
      await known.file.seal(content.steps)
      return known.name
    }
    if (!('objects' in content)) {
      const known = made.get(content)
      if (!known) throw new Error('the spool is not one of this worker, or it was committed before')
      made.delete(content)
      await known.file.seal()
      return known.name
    }
    const name = nextName()
    await writeObjects(join(folder, name), content)
    return name
  }

  function laneOf(name: string, start: string | null, round: number): Lane {
    let position = start
    return {
      ...{ name, round },
      get position() {
        return position
      },
      async spool() {
        const spoolName = nextName()
        const file = createSpoolFile(join(folder, spoolName))
        made.set(file, { file, name: spoolName })
        return file
      },
      changes() {
        const spoolName = nextName()
        const file = createChangesFile(join(folder, spoolName))
        changes.set(file, { file, name: spoolName })
        return file
      },
      async commit({ first, last, content, sourceBytes }) {
        const spool = await write(content).catch(refuseSpool)
        await peer.call('commit', { lane: name, first, last, spool, sourceBytes } satisfies CommitParams)
        position = last
      },
      async move(to) {
        await peer.call('move', { lane: name, position: to } satisfies MoveParams)
        position = to
      },
      async release() {
        await peer.call('release', { lane: name })
      },
    }
  }

  return {
    open: () => mkdir(folder, { recursive: true, mode: 0o700 }),
    lanes: async () => (await peer.call('lanes')) as { name: string; position: string }[],
    async lease(name: string): Promise<Lane | null> {
      const leased = (await peer.call('lease', { lane: name })) as {
        position: string | null
        round: number
      } | null
      return leased && laneOf(name, leased.position, leased.round)
    },
  }
}

/** A full disk may get room again. */
function refuseSpool(error: NodeJS.ErrnoException): never {
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  throw error.code === undefined
    ? error
    : new SourceError('retry', `the batch cannot be spooled: ${reason}`, { cause: error })
}
