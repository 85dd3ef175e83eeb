import type { Issue } from '../issue.ts'
import type { BackupConfiguration } from './types.ts'

export const backupPeriodsInHours = [6, 8, 12, 16, 20, 24, 36, 48] as const
export const backupRetentionHours = { min: 24, max: 1080, step: 24 } as const
export const periodsWithStartTime: readonly number[] = [24, 48]

export const defaultBackupConfiguration: BackupConfiguration = {
  backupPeriodInHours: 24,
  backupRetentionPeriodInHours: 24,
  backupStartTime: '',
}

/** null resets a field to its default; an absent field keeps its value. */
export type BackupConfigurationChange = { [K in keyof BackupConfiguration]?: BackupConfiguration[K] | null }

export function planConfiguration(
  stored: BackupConfiguration,
  change: BackupConfigurationChange,
): { configuration: BackupConfiguration } | { issues: Issue[] } {
  const pick = <K extends keyof BackupConfiguration>(name: K): BackupConfiguration[K] => {
    const value = change[name]
    if (value === undefined) return stored[name]
    return value === null ? defaultBackupConfiguration[name] : (value as BackupConfiguration[K])
  }
  const configuration: BackupConfiguration = {
    backupPeriodInHours: pick('backupPeriodInHours'),
    backupRetentionPeriodInHours: pick('backupRetentionPeriodInHours'),
    backupStartTime: pick('backupStartTime'),
  }
  const { backupPeriodInHours: period, backupStartTime: start } = configuration
  if (start !== '' && !periodsWithStartTime.includes(period)) {
    if (change.backupPeriodInHours !== undefined && change.backupPeriodInHours !== null) {
      if (change.backupStartTime) {
        const message = 'a start time needs a period of 24 or 48 hours'
        return { issues: [{ path: ['backupStartTime'], code: 'not_allowed', message }] }
      }
      // The new period has no start time, so the stored start time no longer means anything.
      configuration.backupStartTime = ''
    } else {
      // A start time was set on a service with another period: the service is then backed up once a day.
      configuration.backupPeriodInHours = 24
    }
  }
  return { configuration }
}
