/** Numbers of sources, each named once. Lengths count characters (code points). */
export const sourceLimits = {
  nameLength: 256,
  aliases: 100,
  aliasLength: 1_024,
  /** Of a database, table or column. */
  identifierLength: 1_024,
  labels: 100,
} as const
