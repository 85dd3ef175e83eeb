import { type FileHandle, open, rm } from 'node:fs/promises'
import type { ChangeStep } from '../changes.ts'
import type { ChangesSection, ChangesSpool } from '../source.ts'
import { encodeTail } from '../spool-format.ts'

/** The file of a batch of a database, which this worker writes. */
export interface ChangesFile extends ChangesSpool {
  /** Writes the rest; resolves when all of the file is on the disk. Rejects with the first error of any write. */
  seal(steps: readonly ChangeStep<ChangesSection>[]): Promise<void>
}

const firstChunkBytes = 4 * 1024
const chunkBytes = 512 * 1024

interface Section extends ChangesSection {
  ranges: [number, number][]
  flush(): void
}

export function createChangesFile(path: string): ChangesFile {
  let file: FileHandle | null = null
  let failure: Error | null = null
  let [bytes, written] = [0, 0]
  /** Writes follow each other. */
  let writing: Promise<void> = Promise.resolve()
  const sections = new Set<ChangesSection>()

  function put(part: Uint8Array): [number, number] {
    const from = written
    written += part.length
    writing = writing
      .then(async () => {
        if (failure) return
        file ??= await open(path, 'wx', 0o600)
        for (let done = 0; done < part.length; ) done += (await file.write(part, done)).bytesWritten
      })
      .catch((error: Error) => {
        failure ??= error
      })
    return [from, written]
  }

  function section(): Section {
    let chunk = Buffer.alloc(0)
    let used = 0
    const made: Section = {
      ...{ rows: 0, ranges: [] },
      write(source, start, end) {
        bytes += end - start
        for (let at = start; at < end; ) {
          if (used === chunk.length) grow()
          const taken = Math.min(end - at, chunk.length - used)
          // Small parts are faster byte by byte than through a view.
          if (taken < 32)
            for (let index = 0; index < taken; index++) chunk[used + index] = source[at + index] ?? 0
          else chunk.set(source.subarray(at, at + taken), used)
          used += taken
          at += taken
        }
      },
      flush() {
        if (used > 0) made.ranges.push(put(chunk.subarray(0, used)))
        chunk = Buffer.alloc(0)
        used = 0
      },
    }

    function grow(): void {
      if (chunk.length < chunkBytes) {
        const larger = Buffer.allocUnsafeSlow(
          Math.min(chunkBytes, Math.max(firstChunkBytes, 4 * chunk.length)),
        )
        larger.set(chunk)
        chunk = larger
        return
      }
      made.flush()
      chunk = Buffer.allocUnsafeSlow(chunkBytes)
    }
    sections.add(made)
    return made
  }

  return {
    get bytes() {
      return bytes
    },
    section,
    async seal(steps) {
      for (const each of sections) (each as Section).flush()
      const sealed = steps.map((step): ChangeStep => {
        if (!('data' in step)) return step
        const { rows, ranges } = step.data as Section
        return { ...step, data: { rows, ranges } }
      })
      put(encodeTail({ kind: 'changes', steps: sealed }))
      await writing
      const fails = (error: Error) => {
        failure ??= error
      }
      if (!failure) await file?.datasync().catch(fails)
      await file?.close().catch(fails)
      file = null
      if (failure) throw failure
    },
    async discard() {
      failure ??= new Error('the spool was discarded')
      await writing
      await file?.close().catch(() => undefined)
      file = null
      await rm(path, { force: true })
    },
  }
}
