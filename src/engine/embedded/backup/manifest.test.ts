import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DamagedManifest, type ManifestEntry, readManifest } from './manifest.ts'

/** A manifest of an incremental backup by engine 26.7; some entries are left out. */
const incremental =
  '<config><version>1</version><deduplicate_files>1</deduplicate_files><timestamp>2026-11-15 20:38:01</timestamp>' +
  '<uuid>9e6b1342-51b7-4fa0-a024-3071c4d0acac</uuid><backup_id>9e6b1342-51b7-4fa0-a024-3071c4d0acac</backup_id>' +
  "<base_backup>File('l1')</base_backup><base_backup_uuid>52024442-2012-4600-b34c-29c3c581399b</base_backup_uuid>" +
  '<contents><file><name>data/q/l/__marks.mrk</name><size>32</size>' +
  '<checksum>02510bddaa546feeb6ee1392b808fffc</checksum><use_base>true</use_base><base_size>16</base_size>' +
  '<base_checksum>d83300146e5d69500fc867b157a3f866</base_checksum></file><file><name>data/q/l/columns.txt</name>' +
  '<size>48</size><checksum>bac0a82331b82fada47a043e68032230</checksum><use_base>true</use_base></file>' +
  '<file><name>data/q/l/count.txt</name><size>5</size><checksum>d6b9cff6ef8da1b67f3d0799e1fd0858</checksum></file>' +
  '<file><name>data/shop/mv2/all_1_1_0/metadata_version.txt</name><size>1</size>' +
  '<checksum>1d5952e8223ea966def237d6e7e216f1</checksum>' +
  '<data_file>data/default/x/all_1_1_0/metadata_version.txt</data_file></file>' +
  '<file><name>data/q/odd &lt;&amp;&apos;name/empty</name><size>0</size></file></contents></config>'

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readAll(text: string, size = 64 * 1024) {
  const { head, entries } = await readManifest(inPieces(text, size))
  const all: ManifestEntry[] = []
  for await (const entry of entries) all.push(entry)
  return { head, all }
}

test('a manifest tells what lies where, however it comes', async () => {
  for (const size of [1, 7, 100, 64 * 1024]) {
    const { head, all } = await readAll(incremental, size)
    assert.deepEqual(head, {
      uuid: '9e6b1342-51b7-4fa0-a024-3071c4d0acac',
      baseId: 'l1',
      baseUuid: '52024442-2012-4600-b34c-29c3c581399b',
    })
    assert.deepEqual(
      all.map(({ name, size, baseSize }) => [name.split('/').at(-1), size, baseSize]),
      [
        ['__marks.mrk', 32, 16],
        ['columns.txt', 48, 48],
        ['count.txt', 5, 0],
        ['metadata_version.txt', 1, 0],
        ['empty', 0, 0],
      ],
    )
    assert.equal(all[0]?.baseChecksum, 'd83300146e5d69500fc867b157a3f866')
    assert.equal(all[1]?.baseChecksum, all[1]?.checksum)
    assert.equal(all[2]?.dataFile, 'data/q/l/count.txt')
    assert.equal(all[3]?.dataFile, 'data/default/x/all_1_1_0/metadata_version.txt')
    assert.equal(all[4]?.name, "data/q/odd <&'name/empty")
  }
})

test('what a backup stands on is found by its folder, here and in a bucket', async () => {
  for (const [base, baseId] of [
    ["File('b-1')", 'b-1'],
    ["S3('http://127.0.0.1:19100/bucket1/f/c1')", 'c1'],
    ["S3('https://b.s3.eu-west-1.amazonaws.com/c2/')", 'c2'],
  ] as const) {
    const { head } = await readAll(incremental.replace("File('l1')", base))
    assert.equal(head.baseId, baseId)
  }
})

test('a manifest that is cut off, or is none, is damaged', async () => {
  const half = incremental.slice(0, incremental.length / 2)
  for (const text of [
    '',
    half,
    incremental.slice(0, -'</contents></config>'.length),
    incremental.replace('<version>1<', '<version>9<'),
    incremental.replace('<size>48</size>', ''),
    incremental.replace('bac0a82331b82fada47a043e68032230', 'bac0'),
    incremental.replace('<base_size>16<', '<base_size>33<'),
    incremental.replace("File('l1')", 'nothing'),
    'x'.repeat(3 * 1024 * 1024),
    // XML that another XML reader might read differently.
    incremental.replace('data/q/l/count.txt', '<![CDATA[metadata/q/t.sql]]>'),
    incremental.replace('<name>data/q/l/count', '<name>a</name><name>data/q/l/count'),
    incremental.replace('<name>data/q/l/count', '<!-- --><name>data/q/l/count'),
    incremental.replace('<name>data/q/l/count', '<name a="b">data/q/l/count'),
    incremental.replace('<size>5</size>', '<size>5</size><object_key>k</object_key>'),
    incremental.replace('<size>0</size>', '<size>0</size><object_key>k</object_key>'),
    incremental.replace('<size>5</size>', '<size>0x5</size>'),
    incremental.replace('<size>5</size>', '<size>5</size><use_base>yes</use_base>'),
    incremental.replace('</config>', '<contents></contents></config>'),
  ]) {
    await assert.rejects(readAll(text), DamagedManifest, text.slice(0, 80))
  }
})
