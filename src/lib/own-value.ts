/** The value under a name that a user wrote; every object also inherits names, such as `constructor`. */
export const ownValue = <T>(table: Readonly<Partial<Record<string, T>>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
