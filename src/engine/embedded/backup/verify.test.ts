import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackupProgress } from '../../backup.ts'
import { createContentHash } from './content-hash.ts'
import { type BackupFolder, FileMissing } from './folder.ts'
import { functionsFile, loadFunctions, saveFunctions } from './functions.ts'
import { verifyBackup } from './verify.ts'

type Files = Record<string, string>

/** The files of a backup by engine 26.7. */
const captured: Files = {
  '.backup':
    '<config><version>1</version><deduplicate_files>1</deduplicate_files><timestamp>2026-11-15 20:38:07</timestamp>' +
    '<uuid>ddd9e6a1-753a-4586-ab30-1a2f2fdcf3f4</uuid><contents><file><name>metadata/default.sql</name>' +
    '<size>23</size><checksum>5cc1e936705f380bf222d7b36168599d</checksum></file><file><name>temporary_tables/' +
    'metadata/tt.sql</name><size>52</size><checksum>5651ce217434b62b4311d962970d482e</checksum></file></contents></config>',
  'metadata/default.sql': 'CREATE DATABASE default',
  'temporary_tables/metadata/tt.sql': 'CREATE TEMPORARY TABLE tt (`a` Int8) ENGINE = Memory',
}

const hashOf = (text: string, pieceSize = 1_000): string => {
  const hash = createContentHash()
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceSize) hash.update(bytes.subarray(at, at + pieceSize))
  return hash.digest()
}

function manifest(uuid: string, base: { id: string; uuid: string } | null, entries: string[]): string {
  const on = base
    ? `<base_backup>File('${base.id}')</base_backup><base_backup_uuid>${base.uuid}</base_backup_uuid>`
    : ''
  const contents = entries.map((entry) => `<file>${entry}</file>`).join('')
  return `<config><version>1</version><uuid>${uuid}</uuid>${on}<contents>${contents}</contents></config>`
}

const entry = (name: string, text: string, more = ''): string =>
  `<name>${name}</name><size>${text.length}</size><checksum>${hashOf(text)}</checksum>${more}`

function folder(files: Files | undefined): BackupFolder {
  return {
    sizeOf: async (name) => files?.[name]?.length ?? null,
    async *read(name) {
      if (files?.[name] === undefined) throw new FileMissing(name)
      yield Buffer.from(files[name])
    },
    write: async () => {},
    remove: async () => {},
  }
}

async function verify(backups: Record<string, Files>, backupId: string) {
  const told: BackupProgress[] = []
  const progress = (done: BackupProgress) => void told.push(done)
  const { signal } = new AbortController()
  const folderOf = (id: string) => folder(backups[id])
  return { verdict: await verifyBackup({ backupId, folderOf, progress, signal }), told }
}

const start = 'a'.repeat(5_000)
const grown = `${start}and more`

/** A full backup, one that continues a file of its base, and one without content of its own. */
const chain: Record<string, Files> = {
  full: {
    '.backup': manifest('u0', null, [entry('log', start), entry('twin', 'same'), entry('unused', 'old')]),
    ...{ log: start, twin: 'same', unused: 'damaged, but nobody needs it any more' },
  },
  second: {
    '.backup': manifest('u1', { id: 'full', uuid: 'u0' }, [
      entry(
        'log',
        grown,
        `<use_base>true</use_base><base_size>5000</base_size><base_checksum>${hashOf(start)}</base_checksum>`,
      ),
      entry('twin', 'same', '<use_base>true</use_base>'),
      entry('own', 'own'),
      entry('copy', 'own', '<data_file>own</data_file>'),
    ]),
    ...{ log: 'and more', own: 'own' },
  },
  third: {
    '.backup': manifest('u2', { id: 'second', uuid: 'u1' }, [
      entry('log', grown, '<use_base>true</use_base>'),
      entry('twin', 'same', '<use_base>true</use_base>'),
    ]),
  },
}

test('the checksums are those of the engine, of however many pieces', async () => {
  assert.deepEqual((await verify({ b: captured }, 'b')).verdict, { good: true, files: 2, bytes: 75 })
  const long = 'x'.repeat(10_000)
  assert.equal(hashOf(long, 1), hashOf(long, 4_096))
  // The expected hash was taken when files of this length, and of many megabytes, matched the engine's manifest.
  assert.equal(hashOf(long), 'aae5cfd118477ccda3a904ed2479221e')
})

test('a chain is good when all is there that the newest needs', async () => {
  const { verdict, told } = await verify(chain, 'third')
  assert.deepEqual(verdict, { good: true, files: 2, bytes: 8 + 5_000 + 4 })
  assert.deepEqual(told.at(-1), { bytes: 5_012, totalBytes: 5_012, files: 3, totalFiles: 3 })
  assert.ok((await verify(chain, 'second')).verdict.good)
})

test('a file that is damaged or missing is named, with the backup that it is in', async () => {
  const broken = (id: string, files: Partial<Files>) => {
    const merged = Object.entries({ ...chain[id], ...files }).filter(([, text]) => text !== undefined)
    return { ...chain, [id]: Object.fromEntries(merged) as Files }
  }
  for (const [backups, id, reason] of [
    [broken('full', { twin: 'sbme' }), 'third', /^twin of backup full is damaged: its content does not fit/],
    [
      broken('full', { twin: 'longer' }),
      'third',
      /^twin of backup full is damaged: it has 6 bytes instead of 4$/,
    ],
    [broken('full', { log: undefined }), 'third', /^log of backup full is missing$/],
    [broken('second', { log: 'and mote' }), 'third', /^log of backup second is damaged/],
    [broken('second', { own: undefined }), 'second', /^own of backup second is missing$/],
    [
      broken('second', { '.backup': undefined }),
      'third',
      /stands on is gone: second \(it has no \.backup\)$/,
    ],
    [broken('third', { '.backup': undefined }), 'third', /^the backup is gone: third/],
    [
      broken('third', { '.backup': chain['third']?.['.backup']?.slice(0, -40) }),
      'third',
      /^\.backup of .* damaged/,
    ],
    [
      broken('full', { '.backup': manifest('u9', null, []) }),
      'second',
      /another one than|is not in backup full/,
    ],
    [{ third: chain['third'] ?? {}, second: captured }, 'third', /another one|is not in backup second/],
  ] as const) {
    const { verdict } = await verify(backups, id)
    assert.ok(!verdict.good)
    assert.match(verdict.reason, reason)
  }
  assert.ok((await verify(broken('second', { own: undefined }), 'third')).verdict.good)
})

test('functions lie beside the files of the engine, and are checked, too', async () => {
  const files: Files = { ...captured }
  const kept = {
    ...folder(files),
    async write(name: string, text: string) {
      files[name] = text
    },
  }
  await saveFunctions(kept, ['CREATE FUNCTION f AS x -> (x + 1)'])
  assert.deepEqual(await loadFunctions(kept), ['CREATE FUNCTION f AS x -> (x + 1)'])
  assert.ok((await verify({ b: files }, 'b')).verdict.good)
  files[functionsFile] = files[functionsFile]?.replace('+ 1', '+ 2') ?? ''
  const reason = '.functions.json of backup b is damaged: its content does not fit its checksum'
  assert.deepEqual((await verify({ b: files }, 'b')).verdict, { good: false, reason })
})
