import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Transform } from 'node:stream'
import { test } from 'node:test'
import { createLz4FrameDecoder } from './lz4-frame.ts'
import { createSnappyDecoder } from './snappy.ts'
import { type StoredEncoding, storedFrame } from './stored-frames.ts'
import { createXzDecoder } from './xz.ts'

const decoders: Record<StoredEncoding, () => Transform> = {
  lz4: createLz4FrameDecoder,
  snappy: createSnappyDecoder,
  xz: createXzDecoder,
}

/** The text in each encoding, as the engine has compressed it. */
const samples: [StoredEncoding, string][] = [
  [
    'lz4',
    'BCJNGEBQd6wBAACyMCwicm93IDAiCjEKAEIxIgoyCgBCNCIKMwoAQzkiCjQeAEI2Igo1CwBSMjUiCjYLAFIzNiIKNwsAUjQ5Igo4' +
      'CwBSNjQiCjkLAFM4MSIKMWsAQzMiCjFsAFQyNCIKMW4AQzciCjFwAFM3MiIKMXIAAAsAA3IAEDNGAANzABA2GAADdABTOTUiCjF1' +
      'ABAzXwADdgBTNzAiCjJ2AFMxMiIKMncAUzUzIgoydwBTOTYiCjJ3AFM0NCIKMncAEDkIAQN4ABA0MAADeAAQOSQAA3gAEDVgAAN4' +
      'AEM4IgoydwBTNjUiCjN3AFMyNyIKM3cAUzg4IgozdwAQNV0BA3cAUzIyIgozdwBTODkiCjN3AFQ2MSIKM2IBAFQAA3cAEDEYAAR3' +
      'AEQ2IgozeABDNiIKNHgAUzQ4Igo0eABTMzIiCjR4ABAxGAADeAAALwAE7gBDMyIKNHcAUzg1Igo0dwAQN/oBA3cAEDcYAAN3ABA3' +
      'MAAWOQwAJjUwJAAmNTE8ACY1MlQAJjUzbAAlNTSDACY1NZoAJjU2sgAmNTfKACY1OOIAwDU5LCJyb3cgODYiCgAAAAA=',
  ],
  [
    'snappy',
    'AAACvQAAAay9BSgwLCJyb3cgMCIKMQkKDDEiCjIJCgw0IgozCQoMOSIKNAkKEDE2Igo1CQsQMjUiCjYJCxAzNiIKNwkLEDQ5Igo4' +
      'CQsQNjQiCjkJCxA4MSIKMQ1rDDMiCjENbBAyNCIKMRFuDDciCjENcBA3MiIKMQ1yAQsNcgAzAUYNcwA2ARgNdBA5NSIKMQ11ADMB' +
      'Xw12EDcwIgoyDXYQMTIiCjINdxA1MyIKMg13EDk2IgoyDXcQNDQiCjINdwA5IQgNeAA0ATANeAA5ASQNeAA1AWANeAw4IgoyDXcQ' +
      'NjUiCjMNdxAyNyIKMw13EDg4IgozDXcANSFdDXcQMjIiCjMNdxA4OSIKMw13EDYxIgozDXcAMwFUDXcAMQEYEXcMNiIKMxF4EDYi' +
      'CjQwKXEQNDgiCjQNeBAzMiIKNA14ADEBGA14AS8NdxA5MyIKNA13FDg1Igo0NglHADch+g13ADcBGA13ADcBMA13AQwANQ13ASQA' +
      'NQ13ATwANQ13AVQANQ13EDkzIgo1DXhBTg13AZoENTYJdwGyADUNdwHKADUNdwHiLDU5LCJyb3cgODYiCg==',
  ],
  [
    'xz',
    '/Td6WFoAAATm1rRGAgEEACEBFACP5AMt4AK8AOpdABgLAG1zNza+InHYY+5oPVFzHzTmGqxkPBW59LH+IGNQUWac4+gnrR9sib0K' +
      'oZWeqiCwQkpCl6b30QWHZhe/drXNeb50nHi5r+vuQxo49sTTkVC2lxKipxviU/VFN0cuEPrz+UOfiSugdbJoRi7j4oMkPa+JU+Fv' +
      'I0vT1AwH6h02JGvpFTq5abED7MXVRJJ19rM1vSJZjOrf7uRUSJ0Cllv6de3SUmx0s3OWQXJ0c9AGmKMoDDR8rigM1TmzNhAs2mwX' +
      'L5R2O21g9Z7mMetKEHzZ0xUNY8PooI+LO3DO2BgtXyecfesTK4/b2wAAAOqzOU0iiBJ2AAGGAr0FAADUJK+YscRn+wIAAAAABFla',
  ],
]
const sampleText = Array.from({ length: 60 }, (_, i) => `${i},"row ${(i * i) % 97}"\n`).join('')

async function decode(encoding: StoredEncoding, bytes: Buffer, pieceBytes = bytes.length): Promise<Buffer> {
  const decoder = decoders[encoding]()
  const read = decoder.toArray()
  for (let at = 0; at < bytes.length; at += pieceBytes) decoder.write(bytes.subarray(at, at + pieceBytes))
  decoder.end()
  return Buffer.concat((await read) as Buffer[])
}

for (const encoding of Object.keys(decoders) as StoredEncoding[]) {
  test(`${encoding}: stored frames, one after the other, in pieces of any size`, async () => {
    const texts = [Buffer.from('short'), randomBytes(700_000), Buffer.alloc(65_536, 'x')]
    const frames = Buffer.concat(texts.map((text) => storedFrame[encoding](text)))
    for (const pieceBytes of [frames.length, 1_000, 65_537]) {
      assert.ok((await decode(encoding, frames, pieceBytes)).equals(Buffer.concat(texts)))
    }
    const few = storedFrame[encoding](Buffer.from('byte by byte'))
    assert.equal((await decode(encoding, few, 1)).toString(), 'byte by byte')
  })

  test(`${encoding}: what is damaged or cut off is an error`, async () => {
    const frame = storedFrame[encoding](Buffer.from('text'))
    await assert.rejects(decode(encoding, frame.subarray(0, -1)))
    await assert.rejects(decode(encoding, Buffer.from('nothing of the kind, and long enough to see')))
  })
}

test('compressed frames', async () => {
  for (const [encoding, base64] of samples) {
    const bytes = Buffer.from(base64, 'base64')
    for (const pieceBytes of [bytes.length, 1, 7]) {
      assert.equal((await decode(encoding, bytes, pieceBytes)).toString(), sampleText, encoding)
    }
    // Damaged data ends with an error or with other bytes, never hangs.
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(bytes.readUInt8(at) ^ 0x55, at)
      await decode(encoding, damaged).catch((error) => assert.ok(error instanceof Error))
    }
  }
})
