/** Where the lane `changes` is: everything up to here is in the warehouse. */
export interface ChangesPosition {
  /** The end of the last transaction, in decimal digits. */
  lsn: string
  /** The next transaction is in the warehouse in part: so many of its changes. */
  transaction: { lsn: string; done: number } | null
  /** The server and its timeline, on which positions have a meaning. */
  system: string
  timeline: number
}

export const readPosition = (text: string): ChangesPosition => JSON.parse(text) as ChangesPosition
export const writePosition = (position: ChangesPosition): string => JSON.stringify(position)
