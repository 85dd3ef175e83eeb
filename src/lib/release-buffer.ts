/** Smaller buffers are not worth a call, and may lie in a shared pool. */
const minBytes = 16 * 1024

/**
 * Frees the memory of a buffer that is no longer read, and leaves the buffer empty. Otherwise the memory waits
 * for the garbage collector, and V8 marks its whole heap for each 64 MiB that wait: for a body that streams
 * through a large process, this marking is the greater part of the cost.
 *
 * Only for a buffer that came off a connection as one piece. A part of a larger buffer is left as it is.
 */
export function releaseBuffer(bytes: Buffer): void {
  const { buffer, byteLength } = bytes
  if (byteLength < minBytes || byteLength !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
