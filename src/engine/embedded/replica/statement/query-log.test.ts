import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRecordingLog } from '../../../../../test/support/recording-log.ts'
import { createQueryLog, maxWaiting } from './query-log.ts'

const counts = { rowsRead: 0, bytesRead: 0, resultRows: 0, rowsWritten: 0, bytesWritten: 0 }
const entry = {
  ...{
    queryId: 'q',
    user: 'u',
    database: '',
    text: 'SELECT 1',
    verb: 'SELECT',
    startedAtMs: 0,
    durationMs: 1,
  },
  outcome: { ...counts, elapsedSeconds: 0, resultBytes: 0 },
}

test('the newest entries are kept, and written once', async () => {
  const spoolDir = mkdtempSync(join(tmpdir(), 'granary-log-'))
  const written: { query_id: string; query: string }[][] = []
  const queryLog = createQueryLog({
    spoolDir,
    log: createRecordingLog(),
    withoutSecrets: async (texts) => texts.map((text) => text.replace('secret', '')),
    async run(sql) {
      const path = /INFILE '([^']*)'/.exec(sql)?.[1]
      if (path !== undefined) {
        written.push(
          readFileSync(path, 'utf8')
            .split('\n')
            .map((line) => JSON.parse(line) as { query_id: string; query: string }),
        )
      }
      return ''
    },
  })
  try {
    for (let i = 0; i < 3 * maxWaiting; i++) queryLog.add({ ...entry, queryId: String(i) })
    await Promise.all([queryLog.flush(), queryLog.flush()])
    assert.equal(written.length, 1)
    assert.equal(written[0]?.length, maxWaiting)
    assert.equal(written[0]?.at(-1)?.query_id, String(3 * maxWaiting - 1))
    for (let i = 0; i < 100; i++) queryLog.add({ ...entry, text: `secret ${'x'.repeat(200_000)}` })
    await queryLog.flush()
    const lengths = written[1]?.map(({ query }) => query.length) ?? []
    assert.ok(lengths.length < 50 && lengths.every((length) => length === 100_000 - 6), String(lengths))
  } finally {
    rmSync(spoolDir, { recursive: true })
  }
})
