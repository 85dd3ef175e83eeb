import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { fixedSettings, tagSetting } from '../../filter/settings.ts'
import type { Parameters } from '../http/parameters.ts'

/**
 * Some clients send every setting with the value that it has. Of those that are fixed here, one is dropped that is
 * given the value which it has or which the engine began with; other values are left for the engine to refuse.
 */
export function createUnchangedSettings(run: (sql: string) => Promise<string>) {
  let known: Promise<ReadonlySet<string>> | undefined

  async function load(): Promise<ReadonlySet<string>> {
    const names = [...fixedSettings.keys()].map(quoteString).join(', ')
    const sql = `SELECT name, value, default FROM system.settings WHERE name IN (${names}) FORMAT JSONCompactEachRow`
    // A failure is not kept: the next request asks again.
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
    // The tag is another one on each connection, so that no value of it can be meant.
    return settings.filter(([name, value]) => name !== tagSetting && !unchanged.has(`${name}=${value}`))
  }
}
