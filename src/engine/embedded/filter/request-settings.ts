import { EngineError } from '../engine-error.ts'
import { filterSwitch } from './filter-switch.ts'
import { refuseForbiddenText } from './forbidden.ts'
import { fixedSettings, sqlSettings } from './settings.ts'

/** Whether the engine is told of a setting in the URL: a client may say what is so anyway. */
export function takesSetting(name: string, value: string): boolean {
  if (filterSwitch.isOff) return true
  if (sqlSettings.has(name)) refuseForbiddenText(value)
  const fixed = fixedSettings.get(name)
  if (fixed === undefined) return true
  if (value.toLowerCase() === fixed.toLowerCase() || value === engineDefaults.get(name)) return false
  throw new EngineError(452, 'SETTING_CONSTRAINT_VIOLATION', `Setting ${name} should not be changed`)
}

/** Clients that send every setting send these; they have no other effect than none. */
const engineDefaults = new Map([['format_schema_source', 'file']])
