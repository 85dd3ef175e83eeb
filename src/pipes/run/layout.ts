import { join } from 'node:path'

/** Where the pipes of one data directory keep their files. */
export function createPipeLayout(dataDir: string) {
  const root = join(dataDir, 'pipes')
  const pipe = (pipeId: string) => join(root, pipeId)
  return {
    root,
    pipe,
    /** The working directories of a pipe's workers, each `<index>.<epoch>`. */
    workers: (pipeId: string) => join(pipe(pipeId), 'workers'),
    /** The spools of batches that were begun. */
    pending: (pipeId: string) => join(pipe(pipeId), 'pending'),
    /** Workers that look at the source of a pipe, also of one that does not exist yet. */
    errands: join(root, '.errands'),
  }
}

export type PipeLayout = ReturnType<typeof createPipeLayout>
