import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import { ConfigError } from '../config/load.ts'
import { checkIsolation } from './open-engine.ts'

const none = { by: 'none', why: 'the kernel has no Landlock' } as const
const landlock = { by: 'landlock', version: 7 } as const

test('where processes cannot be confined: required does not start, preferred warns, off says so', () => {
  const log = createRecordingLog()
  const warnings = () => log.lines.filter(({ level }) => level === 'warn').length
  assert.equal(checkIsolation('required', landlock, log), 'landlock 7')
  assert.equal(checkIsolation('preferred', landlock, log), 'landlock 7')
  assert.equal(warnings(), 0)
  assert.equal(checkIsolation('preferred', none, log), 'none: the kernel has no Landlock')
  assert.equal(warnings(), 1)
  assert.equal(checkIsolation('off', landlock, log), 'off')
  assert.equal(warnings(), 2)
  assert.throws(() => checkIsolation('required', none, log), ConfigError)
})
