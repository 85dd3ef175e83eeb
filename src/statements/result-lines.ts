import { QueryError } from '../gateway/internal/query-error.ts'

/** What came with one piece of an answer. Rows are JSON texts: numbers of any size stay as the engine wrote them. */
export interface Batch {
  columns: { name: string; type: string }[] | null
  rows: string[]
  totals: string | null
  progress: { readRows: number; readBytes: number; totalRows: number } | null
}

/** The format in which statements are answered. */
export const lineFormat = 'JSONCompactEachRowWithProgress'

/** A row must fit into memory as a whole. */
const maxLineBytes = 64 * 1024 * 1024

/** Reads an answer in `lineFormat` piece by piece; only a line that is cut between two pieces is kept. */
export async function* readBatches(body: AsyncIterable<Buffer>): AsyncGenerator<Batch> {
  let begun: Buffer[] = []
  let begunBytes = 0
  for await (const piece of body) {
    const end = piece.lastIndexOf(10) + 1
    if (end > 0) {
      const text = Buffer.concat([...begun, piece.subarray(0, end - 1)]).toString('utf8')
      begun = []
      begunBytes = 0
      yield batchOf(text)
    }
    if (end === piece.length) continue
    begun.push(piece.subarray(end))
    begunBytes += piece.length - end
    if (begunBytes > maxLineBytes) {
      throw new QueryError(396, `Code: 396. DB::Exception: A row has more than ${maxLineBytes} bytes`)
    }
  }
  if (begunBytes > 0) yield batchOf(Buffer.concat(begun).toString('utf8'))
}

const rowStart = '{"row":'

function batchOf(text: string): Batch {
  const batch: Batch = { columns: null, rows: [], totals: null, progress: null }
  for (const line of text.split('\n')) {
    // Most lines are rows, and none of them is parsed.
    if (line.startsWith(rowStart)) batch.rows.push(line.slice(rowStart.length, -1))
    else if (line.startsWith('{"totals":')) batch.totals = line.slice('{"totals":'.length, -1)
    else if (line !== '') take(batch, JSON.parse(line) as Line)
  }
  return batch
}

interface Line {
  meta?: { name: string; type: string }[]
  progress?: { read_rows?: string; read_bytes?: string; total_rows_to_read?: string }
}

function take(batch: Batch, { meta, progress }: Line): void {
  if (meta) batch.columns = meta.map(({ name, type }) => ({ name, type }))
  if (!progress) return
  batch.progress = {
    readRows: Number(progress.read_rows ?? 0),
    readBytes: Number(progress.read_bytes ?? 0),
    totalRows: Number(progress.total_rows_to_read ?? 0),
  }
}
