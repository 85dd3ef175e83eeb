import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cityHash128 } from './city-hash.ts'

// Published with another implementation (go-faster/city): input, lower half, upper half.
const published: [string, bigint, bigint][] = [
  ['', 4463240938071824939n, 4374473821787594281n],
  ['a', 15163964786936388304n, 18266194243813403894n],
  ['ab', 12124403134182352952n, 15690918305607184567n],
  ['abc', 10380781289832139006n, 1416689273191665022n],
  ['abcd', 15137505341054233748n, 14767571255030181100n],
  ['Moscow', 3377444358654451565n, 2499202049363713365n],
  ['abcdefg', 6752956416143810332n, 14163614211583527179n],
  ['abcdefgh', 5450273043562147764n, 18090582611594380852n],
  ['abcdefghi', 13097897060372010631n, 18038557244115978387n],
  ['0123456789@0123', 4226269686736976323n, 5069520701909446915n],
  ["0123456789'01234", 5376997234998077898n, 10566044557984082456n],
  ['0123456789=012345', 624285883343621191n, 8956332536468243975n],
  ['Tyvim+e@u@hL!NZDRtMYhPE', 17588120511004913214n, 378961109985251419n],
  ['VDUkII-^mq?xyDSuP=$qfZlkbmAO*=ZK', 13206044795819220249n, 2855532457688513016n],
  ['F#j$PGh(bwY!L?G_,yENKTUIs*bxVRBQx(WtBBujnpuyqvCy', 17530270157315397113n, 15952888939106227725n],
  [
    'pN%%V#b.LH!Oas?S%+Ylpri=dqN#WifGUJLri=MxifOJkEHy_L?o^v%%p #*WIeGBsQMPVL.HUt@XX,m-SEBUqW@YTFuPKGq*$GYmNU.oNd_K KAH+p!S',
    14435696692640682544n,
    671283766834869443n,
  ],
  [
    'YFgzdVRIWG_czX#rc)FKPuXUsai%Dj.kEScWJ .WYQfFVOy@e+HiN@(-_@BfK J+-S@Y@,u$InuXerO#_i, m#xhSPvNa lh)fUUE-.@XMCBkVYHsi$_-=$SYW)U*hTYESILxWyOsMMPhi',
    22011026121163860n,
    18152913344833620645n,
  ],
  [
    'uW=B+DQzsLx NxqdqR)!yQEBb.!VJWWhKt?iCZ!)Nv FiSiClUbc%(Xd+)Aw#nFon^d!bJ+#)p-bS+ImDKX$VvL!v$YMY z!,J#lQKW^JoHSbYgBwKHqGqn.PR@)j_W!@sWe*)YStFL*czbZDdKmEeI#BpkIAsV%,*y(_fZS^kXBEPhC=#,cATGU%SkuwqgRSUuVNVJfkml!)!*+%lzt!WTBNmo!,n?Yu',
    10459714423639979687n,
    15164128375651818729n,
  ],
]

test('gives the published values', () => {
  for (const [input, low, high] of published) {
    assert.deepEqual(cityHash128(Buffer.from(input)), { low, high }, JSON.stringify(input))
  }
})

// Written by ClickHouse 26.7 in front of uncompressed blocks with the first n bytes of a text: n, checksum.
const written: [number, string][] = [
  [1, '9a968fb920a7b1ab8bb778a16386ebcb'],
  [2, '82c6c6cf9deea25d58f214f618db4fb6'],
  [7, '16e61006761d1b528e00c971d4150eb1'],
  [8, 'e7887e3b150b0e6f8d29d7d9b5ccd5d7'],
  [15, '988be9d1edf2efb062b38d5debc46504'],
  [16, 'f7605360a92012e1cedece91acf581dc'],
  [100, 'd8c1288fbb130b5616836be6022e3a21'],
  [134, '26d234ffbe681a4c9aab3c3c74d29f6c'],
  [135, '134d163d1fa6ab88e42188a308a137c9'],
  [136, 'b61fb4648c1f99472512c32a55cc7225'],
  [150, 'eaf0428f8f0a9260b7012e1f84a3be58'],
  [200, 'b0f3c21afde90ed91fd5c49b56858312'],
  [247, 'b256bd2571fca97d6513fb69ad3715a0'],
  [248, '105920acfb80b4df879488d5feb9ae63'],
  [300, '0ed9f00890ee215e074378df867d3c83'],
  [1000, 'cd7e7a1f2739f3a65546c2674f0a8981'],
]

test('gives the checksums that ClickHouse writes', () => {
  for (const [bytes, checksum] of written) {
    const block = Buffer.alloc(9 + bytes)
    block.fill('ClickHouse-block-', 9)
    block.writeUInt8(0x02, 0)
    block.writeUInt32LE(9 + bytes, 1)
    block.writeUInt32LE(bytes, 5)
    assert.equal(hex(block), checksum, `${bytes} bytes`)
  }
})

// The values below come from an implementation in another language with integers of any size.
test('every length up to 2048', () => {
  const input = noise(2048)
  const checksums = Buffer.concat(
    Array.from({ length: 2049 }, (_, length) => Buffer.from(hex(input.subarray(0, length)), 'hex')),
  )
  assert.deepEqual(cityHash128(checksums), { low: 0xfd05f1acf8eb1ed1n, high: 0xe768a16201047a03n })
})

test('carries, or the lack of them, all the way', () => {
  assert.deepEqual(cityHash128(Buffer.alloc(100_000, 0)), {
    low: 0x67dabaadd836843an,
    high: 0xb6e1b8736a51d644n,
  })
  assert.deepEqual(cityHash128(Buffer.alloc(100_000, 255)), {
    low: 0x15b7f33994420895n,
    high: 0x85550a081043031dn,
  })
})

test('it does not matter where in memory the bytes are, or what is around them', () => {
  const input = noise(1000)
  const expected = cityHash128(input)
  for (let offset = 0; offset < 9; offset++) {
    const room = Buffer.alloc(1020, offset)
    room.set(input, offset)
    assert.deepEqual(cityHash128(room.subarray(offset, offset + 1000)), expected)
  }
})

function hex(input: Uint8Array): string {
  const { low, high } = cityHash128(input)
  const bytes = Buffer.alloc(16)
  bytes.writeBigUInt64LE(low, 0)
  bytes.writeBigUInt64LE(high, 8)
  return bytes.toString('hex')
}

function noise(length: number): Buffer {
  let state = 1
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state >>> 24
    }),
  )
}
