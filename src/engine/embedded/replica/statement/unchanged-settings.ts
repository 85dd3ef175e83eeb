import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { fixedSettings, tagSetting } from '../../filter/settings.ts'
import type { Parameters } from '../http/parameters.ts'

/**
 * Some clients send every setting with its current value. A fixed setting with its current value, or with the engine's
 * default, is dropped; the engine refuses other values.
 */
export function createUnchangedSettings(run: (sql: string) => Promise<string>) {
  let known: Promise<ReadonlySet<string>> | undefined

  async function load(): Promise<ReadonlySet<string>> {
    const names = [...fixedSettings.keys()].map(quoteString).join(', ')
    const sql = `SELECT name, value, default FROM system.settings WHERE name IN (${names}) FORMAT JSONCompactEachRow`
    // A failure is not cached: the next request queries again.
    const text = await run(sql).catch((error: unknown) => {
      known = undefined
      throw error
    })
    const rows = text.trim().split('\n')
    const values = rows.map((row) => JSON.parse(row) as [string, string, string])
    return new Set(values.flatMap(([name, value, first]) => [`${name}=${value}`, `${name}=${first}`]))
  }

  return async (settings: Parameters['settings']): Promise<Parameters['settings']> => {
    if (!settings.some(([name]) => fixedSettings.has(name))) return settings
    known ??= load()
    const unchanged = await known
    // The tag differs on each connection, so a client's value for it is always dropped.
    return settings.filter(([name, value]) => name !== tagSetting && !unchanged.has(`${name}=${value}`))
  }
}
