/**
 * Whether the origin of a page (`https://host`) is that of a host as requests name it (`host:443`). The scheme counts
 * only for the default port, because a proxy may have ended TLS.
 */
export function isSameOrigin(origin: string, host: string): boolean {
  try {
    const { protocol, host: ofOrigin } = new URL(origin)
    // Normalizes the host like the origin: without the default port, in lower case.
    return ofOrigin !== '' && new URL(`${protocol}//${host}`).host === ofOrigin
  } catch {
    // For example `null`, the origin of a page in a sandbox or from a file.
    return false
  }
}
