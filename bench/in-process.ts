// What the engine can do when a program calls it directly. Runs like a replica, as `in-process.ts <data
// directory> <library> [setting …]`: one JSON request per line on stdin, one answer per line on stdout, in order.
import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type EngineConnection, loadLibrary } from '../src/engine/embedded/replica/engine/library.ts'
import { releaseBuffer } from '../src/lib/release-buffer.ts'
import { type StatementName, statements } from './tables.ts'

export interface Requests {
  run: { sql: string }
  queries: { statement: StatementName; rows: number; count: number; concurrency: number }
  /** `pipe`: through a FIFO that is read here; `memory`: as one buffer, as the library returns it. */
  export: { sql: string; format: string; way: 'pipe' | 'memory' }
  insert: { table: string; format: string; file: string }
}

export interface Answers {
  run: { text: string }
  queries: { seconds: number }
  export: { seconds: number; bytes: number }
  insert: { seconds: number }
}

const [, , directory = '', libraryPath = '', ...settings] = process.argv
const library = loadLibrary(libraryPath)
const pool: EngineConnection[] = []

/** One connection for each concurrent query, made once. */
function connection(index: number): EngineConnection {
  // An insert ends when its rows are in the table, as in a replica.
  pool[index] ??= library.connect(directory, ['--async_insert=0', ...settings])
  return pool[index]
}

const handlers: { [Name in keyof Requests]: (request: Requests[Name]) => Promise<Answers[Name]> } = {
  async run({ sql }) {
    return { text: (await connection(0).query(sql, 'TabSeparated')).bytes.toString('utf8') }
  },
  async queries({ statement, rows, count, concurrency }) {
    const workers = Array.from({ length: concurrency }, (_, index) => connection(index))
    let next = 0
    const work = async (worker: EngineConnection) => {
      while (next < count) {
        const { bytes } = await worker.query(statements[statement](next++, rows), 'TabSeparated')
        if (bytes.length === 0) throw new Error(`${statement} found nothing`)
      }
    }
    return timed(async () => void (await Promise.all(workers.map(work))))
  },
  async export({ sql, format, way }) {
    let bytes = 0
    const { seconds } = await timed(async () => {
      bytes =
        way === 'memory' ? (await connection(0).query(sql, format)).bytes.length : await pipe(sql, format)
    })
    return { seconds, bytes }
  },
  insert: ({ table, format, file }) =>
    timed(async () => {
      await connection(0).query(`INSERT INTO ${table} FROM INFILE '${file}' FORMAT ${format}`, 'Null')
    }),
}

const fifo = `${directory}.fifo`
let hasFifo = false

async function pipe(sql: string, format: string): Promise<number> {
  if (!hasFifo) execFileSync('mkfifo', ['-m', '600', fifo])
  hasFifo = true
  const reading = (async () => {
    let bytes = 0
    for await (const chunk of createReadStream(fifo, {
      highWaterMark: 1024 * 1024,
    }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      releaseBuffer(chunk)
    }
    return bytes
  })()
  await connection(0).query(`${sql} INTO OUTFILE '${fifo}' TRUNCATE FORMAT ${format}`, 'Null')
  return reading
}

async function timed(work: () => Promise<void>): Promise<{ seconds: number }> {
  const startedAt = performance.now()
  await work()
  return { seconds: (performance.now() - startedAt) / 1000 }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { name, request } = JSON.parse(line) as { name: keyof Requests; request: never }
  const answer = await handlers[name](request).catch((error: unknown) => ({ error: String(error) }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
for (const open of pool) open.close()
process.exit(0)
