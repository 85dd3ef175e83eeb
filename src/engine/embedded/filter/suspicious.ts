import {
  evaluatingFunctions,
  refusedFunctions,
  refusedTableFunctions,
  structureFirst,
  structureLater,
} from './names.ts'
import { fixedSettings, sqlSettings } from './settings.ts'

/**
 * Whether a text may contain something that a rule refuses; most SQL does not and skips the rules. Every rule concerns
 * one of these names, or a name with a backslash in it.
 */
export const isSuspicious = (sql: string): boolean => pattern.test(sql)

const names = [
  ...[
    ...refusedFunctions,
    ...evaluatingFunctions,
    ...sqlSettings,
    ...fixedSettings.keys(),
    'identifier',
    'apply',
  ],
  ...['engine', 'disk', 'dictionary', 'collection', 'attach', 'backup', 'restore', 'security', 'readonly'],
]

/** Suspicious only as calls: columns may have these names, and IS NULL and FORMAT JSON are in most statements. */
const calls = [...refusedTableFunctions, ...structureFirst, ...structureLater, 'values', 'format']
const isNoCall = String.raw`(?!\s*(?:[,)=<>.;\w]|$))`

const pattern = new RegExp(
  String.raw`\\|\bparam_|\b(?:(?:${names.join('|')})(?!\w)|(?:${calls.join('|')})${isNoCall})`,
  'i',
)
