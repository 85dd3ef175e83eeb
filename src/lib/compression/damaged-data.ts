/** The compressed data is damaged. */
export class DamagedData extends Error {
  override name = 'DamagedData'
}
