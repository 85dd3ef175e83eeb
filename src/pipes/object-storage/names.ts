/**
 * Whether the engine takes the name as it stands within a list of names. Wildcards, braces and commas have a meaning
 * there that cannot be escaped.
 */
export const isPlainName = (key: string): boolean => !/[*?{},]/.test(key)

/** What identifies an object: a name that was written again is another object. */
export const identityOf = ({ key, etag, bytes }: { key: string; etag: string; bytes: number }): string =>
  `${key}\n${etag}\n${bytes}`
