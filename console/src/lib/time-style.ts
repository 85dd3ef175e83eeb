import { computed } from '@preact/signals'
import { stored } from './stored.ts'
import type { TimeStyle } from './times.ts'

/** The zone in which times are written, of this browser or UTC: chosen in the settings. */
export const timeZone = stored('time-zone', 'local', ['local', 'utc'])
export const timeStyle = computed((): TimeStyle => (timeZone.value === 'utc' ? { timeZone: 'UTC' } : {}))
