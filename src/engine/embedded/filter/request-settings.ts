import { EngineError } from '../engine-error.ts'
import { filterSwitch } from './filter-switch.ts'
import { refuseForbiddenText } from './forbidden.ts'
import { fixedSettings, sqlSettings } from './settings.ts'

/** Whether a setting in the URL is passed to the engine: a fixed setting that is given its fixed value is dropped. */
export function takesSetting(name: string, value: string): boolean {
  if (filterSwitch.isOff) return true
  if (sqlSettings.has(name)) refuseForbiddenText(value)
  const fixed = fixedSettings.get(name)
  if (fixed === undefined) return true
  if (value.toLowerCase() === fixed.toLowerCase() || value === engineDefaults.get(name)) return false
  throw new EngineError(452, 'SETTING_CONSTRAINT_VIOLATION', `Setting ${name} should not be changed`)
}

/** Clients that send every setting send these engine defaults, which are dropped. */
const engineDefaults = new Map([['format_schema_source', 'file']])
