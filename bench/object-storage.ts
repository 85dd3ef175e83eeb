import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { planCreate } from '../src/domain/pipe/create.ts'
import { systemClock } from '../src/lib/clock.ts'
import { readEgressList } from '../src/lib/egress/list.ts'
import { openDestination } from '../src/pipes/destination/create-destination.ts'
import { createFileServer } from '../src/pipes/object-storage/file-server.ts'
import { createObjectStorage } from '../src/pipes/object-storage/object-storage.ts'
import { readingOf } from '../src/pipes/object-storage/reading.ts'
import { startDestinationRig } from '../test/support/destination-rig.ts'
import { createFakeLanes } from '../test/support/fake-lanes.ts'
import { startListingServer } from '../test/support/listing-server.ts'
import { median } from './load.ts'
import type { Bench, Measurement } from './main.ts'
import { absolute, notes, ratio, sized, skip, times } from './sizes.ts'

const files = 10
const rowsPerFile = sized(500_000, 1_000)
const rounds = times(3)
const names = sized(100_000, 3_000)
const formats = { Parquet: 'parquet', JSONEachRow: 'json.gz' } as const
type Format = keyof typeof formats

const columns = [
  { name: 'id', type: 'UInt64' },
  { name: 'at', type: 'DateTime' },
  { name: 'page', type: 'String' },
  { name: 'amount', type: 'Float64' },
]
const egress = { list: readEgressList('private'), who: 'Pipes', setting: 'GRANARY_SOURCE_EGRESS_ALLOW' }
const { signal } = new AbortController()

/**
 * A pipe from a server of the S3 protocol (files of this machine, served by Node), against the engine's own
 * `INSERT … SELECT … FROM s3()` of the same objects from the same kind of server, in turns.
 */
export const objectStorageBench: Bench = {
  name: `object storage: ${files} objects of ${rowsPerFile.toLocaleString('en')} rows`,
  skip,
  notes,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'granary-bench-'))
    const rig = await startDestinationRig({ egress: readEgressList('private'), memoryBytes: 8_000_000_000 })
    try {
      const found: Measurement[] = []
      for (const format of Object.keys(formats) as Format[])
        found.push(...(await compare(rig, folder, format)))
      found.push(...(await manyNames()))
      return found
    } finally {
      await rig.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

type Rig = Awaited<ReturnType<typeof startDestinationRig>>

async function compare(rig: Rig, folder: string, format: Format): Promise<Measurement[]> {
  const bytes = await writeFiles(rig, folder, format)
  const engineSeconds: number[] = []
  const pipeSeconds: number[] = []
  await rig.sql('CREATE DATABASE IF NOT EXISTS bench ENGINE = Atomic')
  for (let round = 0; round < rounds; round++) {
    engineSeconds.push(await timed(() => byEngine(rig, folder, format)))
    pipeSeconds.push(await timed(() => byPipe(rig, folder, format, round)))
    const counts = await rig.sql(
      'SELECT (SELECT count() FROM bench.engine), (SELECT count() FROM bench.pipe)',
    )
    const all = files * rowsPerFile
    if (counts !== `${all}\t${all}`) throw new Error(`${all} rows were written, these were read: ${counts}`)
    for (const table of ['engine', 'pipe']) await rig.sql(`DROP TABLE bench.${table} SYNC`)
  }
  const ratios = engineSeconds.map((seconds, index) => seconds / (pipeSeconds[index] ?? 1))
  const speed = (seconds: number[]) => bytes / 1e6 / median(seconds)
  return [
    { what: `${format}: the engine's own INSERT … SELECT`, value: speed(engineSeconds), unit: 'MB/s' },
    { what: `${format}: a pipe`, value: speed(pipeSeconds), unit: 'MB/s' },
    ratio(`${format}: a pipe, ratio of speeds`, median(ratios), 0.9),
  ]
}

async function writeFiles(rig: Rig, folder: string, format: Format): Promise<number> {
  let total = 0
  for (let file = 0; file < files; file++) {
    const from = file * rowsPerFile
    const fields = `number AS id, toDateTime(1700000000 + number) AS at, concat('/p/', cityHash64(number)) AS page`
    const sql = `SELECT ${fields}, number / 7 AS amount FROM numbers(${from}, ${rowsPerFile}) FORMAT ${format}`
    const { bytes } = await rig.replica.send('', sql)
    const packed = format === 'Parquet' ? bytes : gzipSync(bytes, { level: 1 })
    writeFileSync(join(folder, `${file}.${formats[format]}`), packed)
    total += packed.length
  }
  return total
}

async function byEngine(rig: Rig, folder: string, format: Format): Promise<void> {
  const server = createFileServer([folder])
  try {
    const objects = Array.from({ length: files }, (_, file) => ({
      key: server.nameOf(`${folder}/${file}.${formats[format]}`),
    }))
    const options = { format, compression: 'auto', delimiter: ',' } as const
    const { from } = readingOf(await server.listen(), options, objects)
    const structure = columns.map(({ name, type }) => `${name} ${type}`).join(', ')
    await rig.sql(`CREATE TABLE bench.engine (${structure}) ENGINE = MergeTree ORDER BY id`)
    await rig.sql(`INSERT INTO bench.engine SELECT * FROM ${from(structure)}`)
  } finally {
    await server.close()
  }
}

async function byPipe(rig: Rig, folder: string, format: Format, round: number): Promise<void> {
  const planned = planCreate({
    name: 'bench',
    source: { objectStorage: { url: `file://${folder}/*.${formats[format]}`, format } },
    destination: { database: 'bench', table: 'pipe', columns, tableDefinition: { sortingKey: ['id'] } },
    fieldMappings: columns.map(({ name }) => ({ sourceField: name, destinationField: name })),
    settings: { db_max_insert_threads: 0 },
  })
  if (!planned.ok) throw new Error(JSON.stringify(planned.issues))
  const { spec, secrets } = planned.plan
  const pipe = { id: `bench-${format}-${round}`, spec, secrets }
  const limits = { egress, fileRoots: [folder] }
  const destination = openDestination({ pipe, warehouse: rig.warehouse }, limits)
  const kind = createObjectStorage({ ...limits, clock: systemClock })
  const lanes = createFakeLanes(async (lane, { first, last, content }) => {
    if (!('objects' in content)) throw new Error('objects are expected')
    const token = `${pipe.id}:${lane}:${first}`
    await destination.insert({ token, lane, first, last, content: { kind: 'objects', ...content } }, signal)
  })
  try {
    await kind.read(lanes.task({ ...pipe, ...spec, fields: [] }, signal))
  } finally {
    await destination.close?.()
  }
}

/** The worker's part alone: a list as long as a bucket of small files has it. */
async function manyNames(): Promise<Measurement[]> {
  const server = await startListingServer(
    () => names,
    (index) => `in/${String(index).padStart(9, '0')}.json`,
  )
  const planned = planCreate({
    name: 'bench',
    source: { objectStorage: { url: `${server.url}in/*.json` } },
    destination: { database: 'bench', table: 'pipe', columns },
    fieldMappings: columns.map(({ name }) => ({ sourceField: name, destinationField: name })),
  })
  if (!planned.ok) throw new Error(JSON.stringify(planned.issues))
  const { spec, secrets } = planned.plan
  const kind = createObjectStorage({ egress, fileRoots: [], clock: systemClock })
  const heap: number[] = []
  const collectGarbage = exposedCollector()
  let [batches, collecting] = [0, 0]
  const lanes = createFakeLanes(async () => {
    // The fake runtime must not keep what it was given.
    lanes.batches.length = 0
    if (++batches % 50 > 0) return
    const begun = process.cpuUsage()
    collectGarbage()
    const { user, system } = process.cpuUsage(begun)
    collecting += user + system
    heap.push(process.memoryUsage().heapUsed / 2 ** 20)
  })
  const before = process.cpuUsage()
  try {
    await kind.read(lanes.task({ id: 'many', secrets, ...spec, fields: [] }, signal))
  } finally {
    await server.close()
  }
  const { user, system } = process.cpuUsage(before)
  const grown = (heap.at(-1) ?? 0) - (heap[Math.floor(heap.length / 2)] ?? 0)
  return [
    {
      what: `${names.toLocaleString('en')} names: CPU time, server included`,
      value: (user + system - collecting) / 1e6,
      unit: 's',
    },
    { what: 'listings of a thousand names each', value: server.asked.length, unit: '' },
    absolute('growth of the heap over the second half of the list', Math.max(0, grown), 'MiB', 2),
  ]
}

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1_000
}
