/** Smaller bodies are written together with their head: as text, Node sends both in one write. */
export const maxJoinedBytes = 4096

interface Ending {
  end(text: string, encoding: 'latin1'): unknown
  end(bytes: Buffer): unknown
}

/** Ends an answer with its last bytes, in one write with the head where the head is not yet sent. */
export function endWith(response: Ending, bytes: Buffer): void {
  if (bytes.length <= maxJoinedBytes) response.end(bytes.toString('latin1'), 'latin1')
  else response.end(bytes)
}

/**
 * How long a connection stays open after the last bytes of an answer that broke off: HTTP clients of Node discard what
 * their reader or their decompressor still holds when the connection closes.
 */
export const brokenLingerMs = 500
