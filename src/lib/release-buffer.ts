/** Smaller buffers are worth no call, and may lie in a pool that others share. */
const minBytes = 16 * 1024

/**
 * Frees the memory of a buffer that nobody reads any more, and leaves the buffer empty. Without it the memory waits
 * for the garbage collector, and V8 marks its whole heap for each 64 MiB that wait: of a body that streams through a
 * large process this is the greater part of the cost.
 *
 * Only for a buffer that came off a connection as one piece. A part of a larger one is left as it is.
 */
export function releaseBuffer(bytes: Buffer): void {
  const { buffer, byteLength } = bytes
  if (byteLength < minBytes || byteLength !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
