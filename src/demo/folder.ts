import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DemoRecord } from '../domain/demo/types.ts'
import { makeDirectory, namesIn } from '../lib/durable-file.ts'
import { joinPositions, type ListPosition } from '../pipes/object-storage/position.ts'
import type { Repositories } from '../store/store.ts'
import { type FeedName, feedNames, feeds } from './shop/feeds.ts'
import { dayMs, type Shop, slotMs } from './shop/traffic.ts'
import { type FileTask, writeFile } from './shop/write-file.ts'

/** How far back the data reaches, and how much of a time without the server is filled in. */
const historyMs = 7 * dayMs
/** So many files wait for a pipe that does not take them; then no more are written. */
const mostWaiting = 8

/** The files that the pipes of a demo read. A file's name is the end of its span, so names sort by time. */
export interface DemoFolder {
  /** The pattern of a pipe's source. */
  urlOf(feed: FeedName): string
  /** The files of the first load; `isWritten` = it is there. */
  history(): Promise<(FileTask & { isWritten: boolean })[]>
  /** Whether the pipe has loaded all files of the history. */
  hasLoadedHistory(feed: FeedName): Promise<boolean>
  /** Removes what was loaded, and writes what happened since the last file, up to the longest span of one. */
  goOn(feed: FeedName, nowMs: number): Promise<void>
  remove(): Promise<void>
}

/** `filesDir` is the folder of files that pipes may always read. */
export function openFolder(
  filesDir: string,
  demo: DemoRecord,
  journal: Repositories['pipeJournal'],
): DemoFolder {
  const root = join(filesDir, `demo-${demo.organizationId}`)
  const shop = shopOf(demo)
  const pathOf = (feed: FeedName, toMs: number) => join(root, feed, nameOf(toMs))

  return {
    urlOf: (feed) => `${pathToFileURL(join(root, feed)).href}/*${extension}`,
    async history() {
      for (const feed of feedNames) await makeDirectory(join(root, feed))
      const written = new Set<string>()
      for (const feed of feedNames)
        for (const name of await namesIn(join(root, feed))) written.add(join(root, feed, name))
      return feedNames.flatMap((feed) =>
        historyOf(feed).map((task) => ({ ...task, isWritten: written.has(task.path) })),
      )
    },
    hasLoadedHistory: async (feed) => (await loadedTo(feed)) >= pathOf(feed, shop.epochMs),
    async goOn(feed, nowMs) {
      const folder = join(root, feed)
      const loaded = await loadedTo(feed)
      const names = (await namesIn(folder)).filter(
        (name) => name.endsWith(extension) && !name.startsWith('.'),
      )
      const waiting = names.filter((name) => join(folder, name) > loaded)
      for (const name of names) if (!waiting.includes(name)) await rm(join(folder, name), { force: true })
      if (waiting.length >= mostWaiting) return
      const lastMs = timeOf(waiting.at(-1) ?? loaded.slice(folder.length + 1)) ?? shop.epochMs
      const endMs = Math.floor(nowMs / slotMs) * slotMs
      const fromMs = Math.max(lastMs, endMs - historyMs)
      if (endMs - fromMs < feeds[feed].liveMs(shop)) return
      const toMs = Math.min(endMs, fromMs + feeds[feed].fileMs)
      await writeFile(shop, { feed, fromMs, toMs, path: pathOf(feed, toMs) })
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }

  function historyOf(feed: FeedName): FileTask[] {
    const { fileMs } = feeds[feed]
    return Array.from({ length: historyMs / fileMs }, (_, index) => {
      const fromMs = shop.epochMs - historyMs + index * fileMs
      return { feed, fromMs, toMs: fromMs + fileMs, path: pathOf(feed, fromMs + fileMs) }
    })
  }

  /** The last name before which the pipe has committed everything; '' = none. */
  async function loadedTo(feed: FeedName): Promise<string> {
    const lanes = await journal.lanes(pipeOf(demo, feed))
    const positions = lanes.flatMap(({ position }) =>
      position === null ? [] : [JSON.parse(position) as ListPosition],
    )
    return joinPositions(positions, '').done
  }
}

export const pipeOf = ({ ids }: DemoRecord, feed: FeedName): string =>
  feed === 'requests' ? ids.requestsPipe : ids.metricsPipe

export const shopOf = ({ seed, startedAtMs, rows }: DemoRecord): Shop => ({
  ...{ seed, weeklyRequests: rows },
  epochMs: Math.floor(startedAtMs / slotMs) * slotMs,
})

const extension = '.json.zst'
const nameOf = (toMs: number): string =>
  `${new Date(toMs).toISOString().slice(0, 19).replaceAll(':', '-')}${extension}`

function timeOf(name: string): number | null {
  const [, day, hour, minute, second] = /^(.{10})T(\d\d)-(\d\d)-(\d\d)/.exec(name) ?? []
  return day === undefined ? null : Date.parse(`${day}T${hour}:${minute}:${second}Z`)
}
