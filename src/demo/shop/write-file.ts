import { open, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { syncDirectory } from '../../lib/durable-file.ts'
import { type FeedName, feeds } from './feeds.ts'
import type { Shop } from './traffic.ts'

/** One file with the rows of a span of time. */
export interface FileTask {
  feed: FeedName
  path: string
  fromMs: number
  toMs: number
}

/** The file appears as a whole, and stays: pipes pass over names that begin with a dot. */
export async function writeFile(shop: Shop, { feed, path, fromMs, toMs }: FileTask): Promise<void> {
  const unfinished = join(dirname(path), `.${basename(path)}`)
  const file = await open(unfinished, 'w', 0o600)
  try {
    const lines = Readable.from(batches(feeds[feed].lines(shop, fromMs, toMs)), { highWaterMark: 2 })
    await pipeline(lines, createZstdCompress(), (compressed) => file.writeFile(compressed))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  await syncDirectory(dirname(path))
}

const batchLength = 256 * 1024

/** Compression takes few long texts better than many short ones. */
function* batches(pieces: Iterable<string>): Generator<Buffer> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < batchLength) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
