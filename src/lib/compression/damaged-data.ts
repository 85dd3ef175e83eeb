/** What was to be decompressed is not what it should be. */
export class DamagedData extends Error {
  override name = 'DamagedData'
}
