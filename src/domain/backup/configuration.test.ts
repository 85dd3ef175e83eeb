import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type BackupConfigurationChange,
  backupPeriodsInHours,
  defaultBackupConfiguration as defaults,
  periodsWithStartTime,
  planConfiguration,
} from './configuration.ts'
import type { BackupConfiguration } from './types.ts'

const plan = (change: BackupConfigurationChange, stored: Partial<BackupConfiguration> = {}) => {
  const planned = planConfiguration({ ...defaults, ...stored }, change)
  return 'configuration' in planned ? planned.configuration : planned.issues
}

test('nothing changes what is not sent; null sets the default', () => {
  const stored = { backupPeriodInHours: 48, backupRetentionPeriodInHours: 240, backupStartTime: '05:00' }
  assert.deepEqual(plan({}, stored), stored)
  assert.deepEqual(plan({ backupRetentionPeriodInHours: null }, stored), {
    ...stored,
    backupRetentionPeriodInHours: 24,
  })
  const nothing = { backupPeriodInHours: null, backupRetentionPeriodInHours: null, backupStartTime: null }
  assert.deepEqual(plan(nothing, stored), defaults)
})

test('a start time with another period in one request is a contradiction', () => {
  const issues = plan({ backupPeriodInHours: 12, backupStartTime: '02:00' })
  assert.deepEqual(Array.isArray(issues) && issues.map(({ path }) => path), [['backupStartTime']])
})

test('of a start time and a period that came one after the other, the later one wins', () => {
  assert.deepEqual(plan({ backupPeriodInHours: 6 }, { backupStartTime: '02:00' }), {
    ...defaults,
    backupPeriodInHours: 6,
  })
  assert.deepEqual(plan({ backupStartTime: '02:00' }, { backupPeriodInHours: 6 }), {
    ...defaults,
    backupStartTime: '02:00',
  })
  const reset = plan({ backupPeriodInHours: null, backupStartTime: '02:00' }, { backupPeriodInHours: 6 })
  assert.deepEqual(reset, { ...defaults, backupStartTime: '02:00' })
})

test('whatever is sent in whatever order, a start time never stands beside a period that has none', () => {
  const change = fc.record(
    {
      backupPeriodInHours: fc.constantFrom(...backupPeriodsInHours, null),
      backupStartTime: fc.constantFrom('', '00:00', '23:00', null),
      backupRetentionPeriodInHours: fc.constantFrom(24, 1080, null),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (sent) => {
      let stored = defaults
      for (const each of sent) {
        const planned = planConfiguration(stored, each)
        if ('configuration' in planned) stored = planned.configuration
        assert.ok(stored.backupStartTime === '' || periodsWithStartTime.includes(stored.backupPeriodInHours))
      }
    }),
    { seed: 3, numRuns: 500 },
  )
})
