/** How each state is shown: hue, icon and word. Shape alone tells states apart; the API's value is in the tooltip. */
import type { Result } from '../api/operations.ts'
import type { IconName } from './icon-shapes.ts'

export type Hue = 'ok' | 'sleep' | 'busy' | 'warn' | 'bad' | 'rest'

export interface StateLook {
  hue: Hue
  icon: IconName
  word: string
  /** The icon turns while the state lasts. */
  turns?: true
}

type ServiceState = Result<'services.get'>['state']
type PipeState = Result<'pipes.get'>['state']
type BackupStatus = Result<'backups.get'>['status']
type Verification = Result<'backups.get'>['verification']['status']
type AlertState = Result<'alerts.get'>['state']

const look = (hue: Hue, icon: IconName, word: string): StateLook => ({ hue, icon, word })
const turning = (word: string): StateLook => ({ hue: 'busy', icon: 'busy', word, turns: true })

export const serviceLooks: Record<ServiceState, StateLook> = {
  provisioning: look('busy', 'new', 'Provisioning'),
  starting: turning('Starting'),
  running: look('ok', 'running', 'Running'),
  idle: look('sleep', 'moon', 'Asleep'),
  awaking: look('busy', 'sunrise', 'Waking'),
  stopping: look('busy', 'stopping', 'Stopping'),
  stopped: look('rest', 'stopped', 'Stopped'),
  degraded: look('warn', 'warn', 'Degraded'),
  partially_running: look('warn', 'partial', 'Partly running'),
  failed: look('bad', 'failed', 'Failed'),
  terminating: look('bad', 'trash', 'Deleting'),
}

export const pipeLooks: Record<PipeState, StateLook> = {
  Provisioning: look('busy', 'new', 'Provisioning'),
  Setup: look('busy', 'settings', 'Setting up'),
  Snapshot: look('busy', 'snapshot', 'First load'),
  Running: look('ok', 'running', 'Running'),
  Degraded: look('warn', 'warn', 'Degraded'),
  Stopping: look('busy', 'stopping', 'Stopping'),
  Stopped: look('rest', 'stopped', 'Stopped'),
  Pausing: look('busy', 'stopping', 'Pausing'),
  Paused: look('sleep', 'paused', 'Paused'),
  Resync: look('busy', 'resync', 'Resync'),
  Completed: look('ok', 'done', 'Completed'),
  Failed: look('bad', 'failed', 'Failed'),
}

export const backupLooks: Record<BackupStatus, StateLook> = {
  in_progress: turning('In progress'),
  done: look('ok', 'done', 'Done'),
  error: look('bad', 'failed', 'Error'),
}

export const verificationLooks: Record<Verification, StateLook> = {
  none: look('rest', 'new', 'Not read back'),
  in_progress: turning('Reading back'),
  good: look('ok', 'shield', 'Good'),
  damaged: look('bad', 'failed', 'Damaged'),
}

export const alertLooks: Record<AlertState, StateLook> = {
  OK: look('ok', 'running', 'OK'),
  PENDING: look('warn', 'clock', 'Pending'),
  ALERT: look('bad', 'bell', 'Alert'),
  INSUFFICIENT_DATA: look('rest', 'new', 'No data'),
  DISABLED: look('rest', 'paused', 'Off'),
}

/** Something is on its way: the page asks more often. */
export const isServiceBusy = (state: ServiceState): boolean => serviceLooks[state].hue === 'busy'
export const isPipeBusy = (state: PipeState): boolean => pipeLooks[state].hue === 'busy'

const awake: readonly ServiceState[] = ['running', 'degraded', 'partially_running']
/** A statement is answered now, and wakes nothing. */
export const isServiceAwake = (state: ServiceState): boolean => awake.includes(state)
