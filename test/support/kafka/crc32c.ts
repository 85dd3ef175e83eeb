/** CRC-32C (Castagnoli), which record batches use; node:zlib has only the other polynomial. */
export function crc32c(bytes: Uint8Array, from = 0): number {
  let crc = -1
  let at = from
  // Four tables process four bytes per step.
  for (const end = bytes.length - 3; at < end; at += 4) {
    crc ^=
      byteAt(bytes, at) |
      (byteAt(bytes, at + 1) << 8) |
      (byteAt(bytes, at + 2) << 16) |
      (byteAt(bytes, at + 3) << 24)
    crc =
      entry(768 + (crc & 0xff)) ^
      entry(512 + ((crc >>> 8) & 0xff)) ^
      entry(256 + ((crc >>> 16) & 0xff)) ^
      entry(crc >>> 24)
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ entry((crc ^ byteAt(bytes, at)) & 0xff)
  return ~crc >>> 0
}

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] as number
const entry = (at: number): number => tables[at] as number

const tables = makeTables()

function makeTables(): Int32Array {
  const made = new Int32Array(4 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) === 0 ? 0 : 0x82f6_3b78)
    made[byte] = crc
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256] as number
    made[at] = (before >>> 8) ^ (made[before & 0xff] as number)
  }
  return made
}
